//! A guide in short chapters: each has a program that is tested.
//!
//! 1. [`first_world`]: insert, move, step, events.
//! 2. [`structures`]: which structure for which scene.
//! 3. [`bullets_and_sensors`]: swept objects, exact ways, enter and exit.
//! 4. [`filters`]: layers, masks, groups, owners.
//! 5. [`rollback`]: snapshots, state hashes, late inputs.
//! 6. [`worlds_that_wrap`]: sides, seams, images.
//! 7. [`static_worlds`]: much scenery, few moving objects.
//! 8. [`tuning`]: statistics and trials.
//! 9. [`hex_worlds`]: integers and hexagons.
//! 10. [`pitfalls`]: mistakes that are easy to make.
//! 11. [`coming_from`]: other libraries, term by term.

macro_rules! chapters {
    ($($name:ident)+) => {
        $(
            #[doc = include_str!(concat!(stringify!($name), ".md"))]
            pub mod $name {}
        )+
    };
}

chapters! {
    first_world structures bullets_and_sensors filters rollback worlds_that_wrap static_worlds
    tuning hex_worlds pitfalls coming_from
}
