//! Tests of byte casts of coordinate types.

use hexcoord::{Angle, Hex, Point, hex};

#[test]
fn cells_and_angles_cast_to_and_from_integers() {
    let cells = [hex(1, -2), hex(3, 4)];
    assert_eq!(bytemuck::cast_slice::<Hex, i32>(&cells), [1, -2, 3, 4]);
    assert_eq!(bytemuck::cast_slice::<i32, Hex>(&[5, 6]), [hex(5, 6)]);
    assert_eq!(bytemuck::cast_slice::<Angle, u16>(&[Angle(7)]), [7]);
}

#[test]
fn points_cast_from_numbers_and_convert_to_arrays() {
    assert_eq!(
        bytemuck::cast_slice::<i32, Point>(&[1, 2, 3, 4]),
        [Point::new(1, 2), Point::new(3, 4)]
    );
    assert_eq!(bytemuck::cast_slice::<f32, Point<f32>>(&[1.5, 2.0]), [Point::new(1.5, 2.0)]);
    let arrays = [Point::new(1, 2), Point::new(3, 4)].map(<[i32; 2]>::from);
    assert_eq!(bytemuck::cast_slice::<[i32; 2], i32>(&arrays), [1, 2, 3, 4]);
}
