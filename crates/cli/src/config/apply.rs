//! Which commands look at the configuration.

use crate::args::Command;
use crate::geometry_args::GeometryArgs;
use crate::screen_args::ScreenArgs;

/// The options of a command that say how it looks.
pub fn screen(command: &mut Command) -> Option<&mut ScreenArgs> {
    Some(match command {
        Command::Demo(args) => &mut args.screen,
        Command::Live(args) => &mut args.screen,
        Command::Top(args) => &mut args.screen,
        Command::Replay(args) => &mut args.screen,
        Command::Show(args) => &mut args.screen,
        Command::Stats(args) => &mut args.screen,
        Command::Compare(args) => &mut args.screen,
        Command::Explain(args) => &mut args.screen,
        Command::Trace(args) => &mut args.screen,
        Command::Stress(args) => &mut args.screen,
        Command::Sweep(args) => &mut args.screen,
        Command::Analyze(args) => &mut args.screen,
        Command::Fit(args) => &mut args.screen,
        Command::Calibrate(args) => &mut args.screen,
        Command::Lab(args) => &mut args.screen,
        Command::Doctor(screen) => screen,
        _ => return None,
    })
}

/// The options of a command that fix axes and colours of maps on a screen.
pub fn geometry(command: &mut Command) -> Option<&mut GeometryArgs> {
    Some(match command {
        Command::Live(args) => &mut args.geometry,
        Command::Replay(args) => &mut args.geometry,
        Command::Show(args) => &mut args.geometry,
        _ => return None,
    })
}
