//! What `isotherm cache model` and `isotherm cache library` draw.

use clap::{Args, ValueEnum};
use isotherm_report::{GraphFocus, GraphOrientation, GraphView};

/// What an image shows, and a page at first.
#[derive(Args, Debug, Clone, Copy)]
#[command(next_help_heading = "Graph")]
pub struct GraphArgs {
    /// Draw this part of the graph (a page: at first) [default: all]
    #[arg(long, value_enum, value_name = "PART", requires = "output")]
    pub focus: Option<FocusArg>,
    /// Let chains and lists grow this way [default: down]
    #[arg(long, value_enum, value_name = "WAY", requires = "output")]
    pub orientation: Option<OrientationArg>,
    /// Draw this moment of the run, from 1, the first of twelve, to 12 [default: the last]
    #[arg(long, value_name = "N", requires = "output", value_parser = clap::value_parser!(u8).range(1..=12))]
    pub moment: Option<u8>,
}

/// Parts of the graph.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum FocusArg {
    /// Everything
    All,
    /// Hash chains; hash buckets of a library cache
    Chains,
    /// The LRU list
    Lru,
    /// The write list; invalid cursors of a library cache
    Write,
    /// Headers one after the other; objects of a library cache
    Headers,
}

/// Ways to grow.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrientationArg {
    /// From the top
    Down,
    /// From the bottom
    Up,
    /// From the left
    Right,
    /// From the right
    Left,
    /// From the middle outwards
    Circle,
}

impl GraphArgs {
    /// What is drawn.
    pub fn view(self) -> GraphView {
        GraphView {
            focus: self.focus.map_or(GraphFocus::All, GraphFocus::from),
            orientation: self.orientation.map_or(GraphOrientation::Down, GraphOrientation::from),
            moment: self.moment.map(|number| usize::from(number) - 1),
        }
    }

    /// The first option that is given.
    pub fn given(self) -> Option<&'static str> {
        let given = [
            ("--focus", self.focus.is_some()),
            ("--orientation", self.orientation.is_some()),
            ("--moment", self.moment.is_some()),
        ];
        given.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }
}

impl From<FocusArg> for GraphFocus {
    fn from(focus: FocusArg) -> GraphFocus {
        match focus {
            FocusArg::All => GraphFocus::All,
            FocusArg::Chains => GraphFocus::Chains,
            FocusArg::Lru => GraphFocus::Lru,
            FocusArg::Write => GraphFocus::Write,
            FocusArg::Headers => GraphFocus::Headers,
        }
    }
}

impl From<OrientationArg> for GraphOrientation {
    fn from(orientation: OrientationArg) -> GraphOrientation {
        match orientation {
            OrientationArg::Down => GraphOrientation::Down,
            OrientationArg::Up => GraphOrientation::Up,
            OrientationArg::Right => GraphOrientation::Right,
            OrientationArg::Left => GraphOrientation::Left,
            OrientationArg::Circle => GraphOrientation::Circle,
        }
    }
}
