//! Figure 3 of Lyu, Li, He and Xiao (SIGIR 2020): how OME's probabilities follow from ε and λ.
//!
//! Even bits that are 1 are sent as 1 with p₁ = λ/(1 + λ), and odd bits with p₂ = 1/(1 + λ³). A bit 0 of either kind is
//! sent as 1 with q = 1/(1 + λe^(ε/n)), for the n = 500 bits of 50 elements. The last column is not in the figure: the
//! code of such bits really loses that much, and ε hardly changes it.

use anyhow::Result;
use textveil::account::flip::{Flip, ome_epsilon};

use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::Experiment;
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::report::Sheet;
use textveil_toolkit::report::plot::{Axis, Panel, panels};

pub(crate) static FIGURE_3: Experiment = Experiment {
    paper: "ome",
    table: "figure-3",
    about: "The probabilities of OME against epsilon and lambda (Lyu et al., SIGIR 2020)",
    data: &[],
    takes: &[],
    runs: None,
    has_plot: true,
    why: "",
    compute,
};

const BITS: u64 = 500;
/// λ where ε varies, and ε where λ does.
const LAMBDA: f64 = 100.0;
const EPSILON: f64 = 1.0;
const EPSILONS: [f64; 11] = [0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0];
const LAMBDAS: [f64; 11] = [1.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0];

fn compute(_: &Run<'_>) -> Result<Report> {
    let against_epsilon: Vec<Point> =
        EPSILONS.map(|epsilon| Point::at(epsilon, LAMBDA)).into_iter().collect::<Result<_>>()?;
    let against_lambda: Vec<Point> =
        LAMBDAS.map(|lambda| Point::at(EPSILON, lambda)).into_iter().collect::<Result<_>>()?;
    let probabilities = Axis::logarithmic(1e-6, 1.0);
    let drawing = panels(
        "OME: probability of sending a 1",
        &[
            Panel {
                title: "λ = 100, 500 bits",
                axis_title: "ε as claimed, in nats",
                x: Axis::linear(0.0, 10.0),
                y: probabilities,
                lines: lines(&against_epsilon, |point| point.epsilon),
            },
            Panel {
                title: "ε = 1, 500 bits",
                axis_title: "λ",
                x: Axis::linear(0.0, 100.0),
                y: probabilities,
                lines: lines(&against_lambda, |point| point.lambda),
            },
        ],
    );
    let sheets = vec![sheet("Against ε, λ = 100", &against_epsilon), sheet("Against λ, ε = 1", &against_lambda)];
    let numbers = |points: &[Point], of: fn(&Point) -> f64| points.iter().map(of).collect::<Vec<_>>();
    let claims = vec![
        Claim::flat("q hardly depends on epsilon", &numbers(&against_epsilon, |point| point.q), 1e-3),
        Claim::rises("p1 rises with lambda", &numbers(&against_lambda, |point| point.p1), 0.0),
    ];
    Ok(Report { claims, ..Report::of(sheets, drawing) })
}

struct Point {
    epsilon: f64,
    lambda: f64,
    p1: f64,
    p2: f64,
    q: f64,
    truth: f64,
}

impl Point {
    fn at(epsilon: f64, lambda: f64) -> Result<Self> {
        let share = epsilon / BITS as f64;
        let (even, odd) = (Flip::ome_even(share, lambda)?, Flip::ome_odd(share, lambda)?);
        Ok(Self { epsilon, lambda, p1: even.p(), p2: odd.p(), q: even.q(), truth: ome_epsilon(epsilon, lambda, BITS)? })
    }
}

fn sheet(title: &str, points: &[Point]) -> Sheet {
    let mut sheet = Sheet::new(format!("{title}, {BITS} bits"));
    for Point { epsilon, lambda, p1, p2, q, truth } in points {
        sheet.row(cells![
            "epsilon" => *epsilon,
            "lambda" => *lambda,
            "p1" => *p1,
            "p2" => *p2,
            "q" => *q,
            "true epsilon" => *truth,
        ]);
    }
    sheet
}

fn lines(points: &[Point], x: impl Fn(&Point) -> f64) -> Vec<(&'static str, Vec<[f64; 2]>)> {
    let line = |y: fn(&Point) -> f64| points.iter().map(|point| [x(point), y(point)]).collect();
    vec![("p₁", line(|point| point.p1)), ("p₂", line(|point| point.p2)), ("q", line(|point| point.q))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probabilities_are_those_of_the_formulas() {
        let Point { p1, p2, q, .. } = Point::at(1.0, 100.0).expect("in range");
        assert!((p1 - 100.0 / 101.0).abs() < 1e-15 && (p2 - 1.0 / 1_000_001.0).abs() < 1e-20);
        assert!((q - 1.0 / (1.0 + 100.0 * 0.002_f64.exp())).abs() < 1e-15);
    }

    #[test]
    fn epsilon_hardly_changes_what_is_lost() {
        let [small, large] = [0.5, 10.0].map(|epsilon| Point::at(epsilon, 100.0).expect("in range").truth);
        assert!((small - 3451.39).abs() < 0.01 && (large - small).abs() < 0.1, "{small} {large}");
    }
}
