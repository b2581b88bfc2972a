//! A guide in short chapters. Each chapter has an example program, which is tested.
//!
//! 1. [`first_world`]: insert, move, step, events.
//! 2. [`structures`]: which structure to choose for which scene.
//! 3. [`bullets_and_sensors`]: swept objects, casts of characters, enter and exit events.
//! 4. [`filters`]: layers, masks, groups, owners.
//! 5. [`rollback`]: snapshots, state hashes, late inputs.
//! 6. [`worlds_that_wrap`]: sides, and overlaps across seams.
//! 7. [`static_worlds`]: many static and few moving objects.
//! 8. [`tuning`]: statistics, and trials of structures and settings.
//! 9. [`hex_worlds`]: integer coordinates and hexagonal bounds.
//! 10. [`pitfalls`]: mistakes that are easy to make.
//! 11. [`coming_from`]: the functions of other libraries and the corresponding ones here.

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
    tuning pitfalls coming_from
}

// Without the features, the chapter is shown, but its example is no test.
#[cfg(any(not(doctest), all(feature = "hexcoord", feature = "i32")))]
chapters! { hex_worlds }
