//! What the machine can do at most: the multiply–add instructions of the kernels, on registers alone.
//!
//! A kernel's share of this is what its loads, comparisons and ends of blocks leave of it.

use criterion::{Criterion, Throughput};
use textveil::Kernel;

use crate::parts::one_and_all;
use crate::processor::ProcessorTime;

/// Loops in a part of what all cores share: some milliseconds.
const REPEATED: u64 = 1000;

/// `peak/KERNEL`, for the kernels that this machine can run.
#[cfg(target_arch = "x86_64")]
pub(crate) fn all(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("peak");
    for (kernel, products, steps) in x86_64::INSTRUCTIONS {
        if Kernel::available().any(|available| available.name() == *kernel) {
            group.throughput(Throughput::Elements(x86_64::STEPS * x86_64::CHAINS * products));
            group.bench_function(*kernel, |bencher| bencher.iter(steps));
        }
    }
    group.finish();
}

/// The same by the clock, on one core and on all: what more cores of this machine add at most, which may share what
/// multiplies. `peak-all-cores/…`
#[cfg(target_arch = "x86_64")]
pub(crate) fn on_all_cores(criterion: &mut Criterion) {
    let can_run = |kernel: &str| Kernel::available().any(|available| available.name() == kernel);
    let fastest = x86_64::INSTRUCTIONS.iter().rfind(|(kernel, ..)| can_run(kernel));
    if let Some((_, products, steps)) = fastest {
        let elements = (REPEATED * x86_64::STEPS * x86_64::CHAINS * products) as usize;
        one_and_all(criterion, "peak-all-cores", elements, |_| (0..REPEATED).for_each(|_| steps()));
    }
}

/// The instructions of other machines are not written down yet: a share of the peak is stated for x86-64 alone.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn all(_: &mut Criterion<ProcessorTime>) {}

/// As above.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn on_all_cores(_: &mut Criterion) {}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::arch::asm;

    pub(super) const STEPS: u64 = 1000;
    /// Multiply–adds of a step, each on a sum of its own. Operations that run at the same time hide how long each
    /// takes.
    pub(super) const CHAINS: u64 = 10;

    /// The kernel that lives on it, products an instruction, and [`STEPS`] steps of it.
    type Instruction = (&'static str, u64, fn());

    pub(super) const INSTRUCTIONS: &[Instruction] =
        &[("avx2", 16, avx2), ("avxvnni", 16, avxvnni), ("avx512", 32, avx512)];

    /// A loop of [`STEPS`] steps of these lines of assembly.
    macro_rules! steps {
        ($($line:literal),+) => {
            // SAFETY: registers are all that this touches, and each is named; the caller has asked for the kernel
            // that uses the instruction.
            unsafe {
                asm!(
                    "2:",
                    $($line,)+
                    "dec {steps}",
                    "jnz 2b",
                    "vzeroupper",
                    steps = inout(reg) STEPS => _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
                    out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
                    options(nomem, nostack),
                );
            }
        };
    }

    /// AVX2 has no instruction that does both: a product of pairs, and its sum. Only sums wait for each other, and
    /// those are quick: five are enough.
    fn avx2() {
        steps!(
            ".rept 2",
            ".irp n, 0, 1, 2, 3, 4",
            "vpmaddwd ymm1\\n, ymm15, ymm15",
            "vpaddd ymm\\n, ymm\\n, ymm1\\n",
            ".endr",
            ".endr"
        );
    }

    fn avxvnni() {
        steps!(".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9", "{{vex}} vpdpwssd ymm\\n, ymm14, ymm15", ".endr");
    }

    fn avx512() {
        steps!(".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9", "vpdpwssd zmm\\n, zmm14, zmm15", ".endr");
    }
}
