//! Measures every method of encoding and of decoding, with codes that fit the cache.

use broadphase_core::Backend;
use broadphase_morton::Code;
use peers::{Answer, Scene, Suite, Work};

use super::subject;

/// Number of codes; with their coordinates they fit the second-level cache.
const COUNT: usize = 8192;

pub(super) fn measure(suite: &mut Suite) {
    of::<2>(suite, "codes 2-D");
    of::<3>(suite, "codes 3-D");
}

fn of<const D: usize>(suite: &mut Suite, name: &str) {
    let mut random = 88_172_645_463_325_252u64;
    let planes: [Vec<u32>; D] = core::array::from_fn(|_| {
        let draw = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random as u32 & ((1 << Code::<D>::SHORT_BITS) - 1)
        };
        core::iter::repeat_with(draw).take(COUNT).collect()
    });
    let planes = planes.each_ref().map(Vec::as_slice);
    let cell = |index: usize| core::array::from_fn(|axis| planes[axis][index]);
    let codes: Vec<Code<D>> = (0..COUNT).map(|index| Code::encode(cell(index))).collect();
    let short: Vec<u32> = codes.iter().map(|code| code.bits() as u32).collect();

    let numbers = |codes: &[Code<D>]| Answer::new(0, codes.iter().map(|code| code.bits()));
    let scene = Scene { name, n: COUNT, work: Work::Codes(COUNT as u64) };
    let mut encode = suite.compare(scene, numbers(&codes));
    let out = || vec![Code::default(); COUNT];
    encode.ours(
        subject("encode: magic bits", "native"),
        out,
        |out| out.iter_mut().enumerate().for_each(|(at, code)| *code = Code::encode(cell(at))),
        |out| numbers(out),
    );
    encode.ours(
        subject("encode: table", "native"),
        out,
        |out| {
            let all = out.iter_mut().enumerate();
            all.for_each(|(at, code)| *code = Code::encode_by_table(cell(at)));
        },
        |out| numbers(out),
    );
    for backend in Backend::available() {
        let on = backend.to_string();
        encode.ours(
            subject("encode", &on),
            out,
            |out| Code::encode_all_on(backend, planes, out),
            |out| numbers(out),
        );
        encode.ours(
            subject("encode short", &on),
            || vec![0; COUNT],
            |out| Code::<D>::encode_short_on(backend, planes, out),
            |out| Answer::new(0, out.iter().map(|&code| u64::from(code))),
        );
    }

    let cells =
        |planes: &[Vec<u32>; D]| Answer::new(0, planes.iter().flatten().map(|&x| u64::from(x)));
    let expected = cells(&planes.map(<[u32]>::to_vec));
    let mut decode = suite.compare(scene, expected);
    let out = || [(); D].map(|()| vec![0; COUNT]);
    decode.ours(
        subject("decode: magic bits", "native"),
        out,
        |out| {
            for (at, code) in codes.iter().enumerate() {
                let cell = code.decode();
                out.iter_mut().zip(cell).for_each(|(plane, x)| plane[at] = x);
            }
        },
        |out| cells(out),
    );
    for backend in Backend::available() {
        let on = backend.to_string();
        decode.ours(
            subject("decode", &on),
            out,
            |out| Code::decode_all_on(backend, &codes, out.each_mut().map(Vec::as_mut_slice)),
            |out| cells(out),
        );
        decode.ours(
            subject("decode short", &on),
            out,
            |out| {
                let planes = out.each_mut().map(Vec::as_mut_slice);
                Code::<D>::decode_short_on(backend, &short, planes);
            },
            |out| cells(out),
        );
    }
}
