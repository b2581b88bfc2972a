//! The main loop of a side, which drives a GGRS session.
//!
//! 1. Receive datagrams. Answer late greetings, and record the end that the other side reports.
//! 2. When the next tick is due and this side is not too far ahead of the confirmed inputs, let
//!    GGRS advance, and fulfill its requests. States are stored here in a ring by tick; GGRS
//!    receives only their hashes.
//! 3. When the last tick is confirmed, or when the states differ, send the [`End`] until the other
//!    side has received it. Meanwhile the game continues without commands, because each tick
//!    repeats the inputs that the other side may still need.

use alloc::rc::Rc;
use core::cell::RefCell;
use core::net::SocketAddr;
use core::time::Duration;
use std::thread::sleep;
use std::time::Instant;

use ggrs::{
    Config, DesyncDetection, Frame, GgrsEvent, GgrsRequest, P2PSession, PlayerType, PredictDefault,
    SessionBuilder, SessionState,
};
use hexphase_fleet::{Command, Game, PeerReport, Saved, Script};
use rayon::ThreadPool;

use crate::error::{WireDifference, WireError};
use crate::greet::{LINGER, POLL, RESEND};
use crate::link::{Link, SharedLink};
use crate::packet::{End, Input, Note, to_command, to_input};
use crate::report::WireReport;
use crate::{COMPARE_EVERY, WirePlan};

/// Maximum time without a datagram from the other side during the game.
const MAX_SILENCE: Duration = Duration::from_secs(5);
/// Maximum number of missed ticks that a slow side catches up.
const MAX_DEBT: u32 = 10;

/// The types of the session. GGRS holds no states; these are in [`Side::saved`].
struct Fleet;

impl Config for Fleet {
    type Input = Input;
    type InputPredictor = PredictDefault;
    type State = ();
    type Address = SocketAddr;
}

/// Plays a game after both sides have agreed to its terms.
pub(crate) fn play(
    plan: &WirePlan,
    player: u8,
    peer: SocketAddr,
    mut link: Link,
    game: Game,
    pool: ThreadPool,
    mut progress: impl FnMut(u64),
) -> Result<WireReport, WireError> {
    link.set_peer(peer);
    let link = Rc::new(RefCell::new(link));
    let silence = MAX_SILENCE.min(plan.timeout);
    let window = usize::from(plan.window.clamp(1, 64));
    let mut session = SessionBuilder::<Fleet>::new()
        .with_num_players(2)?
        .with_fps((1_000_000_000 / plan.tick.as_nanos().max(1)).max(1) as usize)?
        .with_max_prediction_window(window)
        .with_input_delay(plan.delay.into())
        .with_desync_detection_mode(DesyncDetection::On { interval: COMPARE_EVERY })
        // This side ends the game itself after the silence, before GGRS would do it.
        .with_disconnect_timeout(2 * silence)
        .with_disconnect_notify_delay(2 * silence)
        .add_player(PlayerType::Local, player.into())?
        .add_player(PlayerType::Remote(peer), (1 - player).into())?
        .start_p2p_session(SharedLink(Rc::clone(&link)))?;
    let mut side = Side::new(plan, player, peer, game, window);
    let mut closing = Closing::default();
    let begin = Instant::now();
    let mut next = begin;
    loop {
        session.poll_remote_clients();
        for event in session.events() {
            if let GgrsEvent::DesyncDetected { frame, local_checksum, remote_checksum, .. } = event
            {
                let [own, other] = [local_checksum, remote_checksum].map(|hash| hash as u64);
                let end = End { differs: true, seen: false, tick: tick(frame), own, other };
                closing.set(side.game.tick(), end);
            }
        }
        closing.exchange(&mut link.borrow_mut(), peer, side.game.tick())?;
        let confirmed = tick(session.confirmed_frame() + 1).min(plan.ticks);
        if closing.is_done() {
            break;
        }
        if !closing.is_complete() && link.borrow().silence() > silence {
            return Err(WireError::Silent { peer, timeout: silence, confirmed });
        }
        let now = Instant::now();
        if session.current_state() == SessionState::Running
            && now >= next
            && !closing.has_difference()
        {
            if is_too_far(&session, window) {
                side.waited += POLL;
                next = now + POLL;
            } else {
                let ahead = session.frames_ahead() > 0;
                let interval = if ahead { plan.tick.mul_f32(1.1) } else { plan.tick };
                next = next.max(now.checked_sub(MAX_DEBT * plan.tick).unwrap_or(now)) + interval;
                if side.advance(&mut session, &pool)? {
                    let (tick, own) = (plan.ticks, side.last.hash);
                    closing.set(tick, End { differs: false, seen: false, tick, own, other: 0 });
                }
                progress(confirmed);
            }
        }
        sleep(next.saturating_duration_since(Instant::now()).min(POLL));
    }
    closing.farewell(&mut link.borrow_mut(), peer)?;
    if let Some(difference) = closing.difference(player, peer) {
        return Err(WireError::Differs(difference));
    }
    let link = link.borrow();
    let packets = [link.sent, link.received];
    side.report(begin.elapsed(), packets)
}

/// Returns whether this side is ahead of the confirmed inputs by at least the window.
fn is_too_far(session: &P2PSession<Fleet>, window: usize) -> bool {
    let ahead = session.current_frame() - session.confirmed_frame().max(0);
    usize::try_from(ahead).is_ok_and(|ahead| ahead >= window)
}

/// Returns a frame of GGRS as a tick.
fn tick(frame: Frame) -> u64 {
    u64::try_from(frame).unwrap_or(0)
}

/// The game of this side with its saved states and measurements.
struct Side<'a> {
    plan: &'a WirePlan,
    player: u8,
    peer: SocketAddr,
    game: Game,
    /// States before the latest ticks; the index is the tick modulo the length.
    saved: Vec<Saved>,
    script: Script,
    /// A tick and this side's command for it. GGRS keeps only the first command that it receives
    /// for a tick.
    next_command: (u64, Command),
    /// The state after the last tick, set when this tick is confirmed, and the work until then.
    last: Saved,
    work: Option<PeerReport>,
    rollbacks: u64,
    deepest: u64,
    replayed: u64,
    replay_time: Duration,
    time: Duration,
    waited: Duration,
}

impl<'a> Side<'a> {
    fn new(plan: &'a WirePlan, player: u8, peer: SocketAddr, game: Game, window: usize) -> Self {
        let mut script = Script::new(&plan.settings, player);
        let next_command = (0, script.command());
        Self {
            plan,
            player,
            peer,
            game,
            saved: vec![Saved::default(); window + 2],
            script,
            next_command,
            last: Saved::default(),
            work: None,
            rollbacks: 0,
            deepest: 0,
            replayed: 0,
            replay_time: Duration::ZERO,
            time: Duration::ZERO,
            waited: Duration::ZERO,
        }
    }

    /// Advances the session by a tick. Returns `true` once: when the last tick is confirmed.
    fn advance(
        &mut self,
        session: &mut P2PSession<Fleet>,
        pool: &ThreadPool,
    ) -> Result<bool, WireError> {
        let now = self.game.tick();
        if now > self.next_command.0 {
            let command = if now < self.plan.ticks { self.script.command() } else { Command::NONE };
            self.next_command = (now, command);
        }
        session.add_local_input(self.player.into(), to_input(self.next_command.1))?;
        // The states up to this tick are final after the requests of this call.
        let settled = tick(session.confirmed_frame() + 1);
        let requests = session.advance_frame()?;
        let begin = Instant::now();
        pool.install(|| self.fulfil(requests))?;
        self.time += begin.elapsed();
        self.game.forget(settled.min(self.plan.ticks));
        if self.work.is_some() || now.min(settled) < self.plan.ticks {
            return Ok(false);
        }
        self.last.clone_from(&self.saved[self.place(self.plan.ticks)]);
        let Self { plan, game, replayed, time, replay_time, .. } = self;
        self.work = Some(PeerReport::new(plan.machine, game, *replayed, *time, *replay_time));
        Ok(true)
    }

    fn fulfil(
        &mut self,
        requests: Vec<GgrsRequest<Fleet>>,
    ) -> Result<(), Box<dyn core::error::Error + Send + Sync>> {
        // The tick at which the current rollback ends, and its start time.
        let mut replay: Option<(u64, Instant)> = None;
        for request in requests {
            match request {
                GgrsRequest::SaveGameState { cell, frame } => {
                    let place = self.place(tick(frame));
                    let hash = self.game.save(&mut self.saved[place]);
                    cell.save(frame, Some(()), Some(hash.into()));
                }
                GgrsRequest::LoadGameState { frame, .. } => {
                    let now = self.game.tick();
                    replay = Some((now, Instant::now()));
                    self.game.load(&self.saved[self.place(tick(frame))])?;
                    let depth = now - self.game.tick();
                    if self.work.is_none() {
                        self.rollbacks += 1;
                        self.deepest = self.deepest.max(depth);
                        self.replayed += depth;
                    }
                }
                GgrsRequest::AdvanceFrame { inputs } => {
                    if self.plan.lie == Some(self.game.tick()) {
                        self.game.flip_bit();
                    }
                    let commands: Vec<_> =
                        inputs.into_iter().map(|(input, _)| to_command(input)).collect();
                    self.game.advance(&commands)?;
                    if let Some((end, begin)) = replay
                        && self.game.tick() == end
                    {
                        self.replay_time += begin.elapsed();
                        replay = None;
                    }
                }
            }
        }
        Ok(())
    }

    fn place(&self, tick: u64) -> usize {
        (tick % self.saved.len() as u64) as usize
    }

    /// Returns the report, with the state after the last tick.
    fn report(mut self, elapsed: Duration, packets: [u64; 2]) -> Result<WireReport, WireError> {
        self.game.load(&self.last).map_err(|error| WireError::Game(error.into()))?;
        let work = self.work.take().expect("both sides have confirmed the last tick");
        Ok(WireReport {
            hash: self.last.hash,
            player: self.player,
            peer: self.peer,
            left: [self.game.ships() as u64, self.game.bullets() as u64, self.game.broken_cells()],
            rollbacks: self.rollbacks,
            deepest: self.deepest,
            waited: self.waited,
            elapsed,
            packets,
            work,
        })
    }
}

/// The end of the game as reported by both sides.
#[derive(Default)]
struct Closing {
    ours: Option<End>,
    theirs: Option<End>,
    /// Set if the other side has received the end of this side.
    seen: bool,
    /// Tick of this side when its end was set.
    found: u64,
    since: Option<Instant>,
    sent: Option<Instant>,
}

impl Closing {
    /// Sets the end of this side, unless it is set; a difference replaces an end without one.
    fn set(&mut self, now: u64, end: End) {
        if self.ours.is_none_or(|ours| end.differs && !ours.differs) {
            (self.ours, self.found) = (Some(end), now);
            (self.since, self.sent) = (Some(Instant::now()), None);
        }
    }

    fn has_difference(&self) -> bool {
        self.ours.is_some_and(|end| end.differs)
    }

    /// Receives and sends notes. `now` is the current tick of this side.
    fn exchange(&mut self, link: &mut Link, peer: SocketAddr, now: u64) -> Result<(), WireError> {
        while let Some((_, note)) = link.note()? {
            match note {
                Note::Hello(_) => link.send(peer, &Note::Welcome)?,
                Note::End(end) => {
                    self.theirs = Some(end);
                    self.seen |= end.seen;
                    if end.differs {
                        self.set(now, End { own: end.other, other: end.own, ..end });
                    }
                }
                _ => {}
            }
        }
        if let Some(end) = self.ours
            && self.sent.is_none_or(|sent| sent.elapsed() >= RESEND)
        {
            link.send(peer, &Note::End(End { seen: self.theirs.is_some(), ..end }))?;
            self.sent = Some(Instant::now());
        }
        Ok(())
    }

    /// Returns whether the result is final: both sides have ended, or there is a difference.
    fn is_complete(&self) -> bool {
        self.ours.is_some() && self.theirs.is_some() || self.has_difference()
    }

    /// Returns whether the result is final and the other side has received it, or has had time to.
    fn is_done(&self) -> bool {
        let informed = self.seen && self.theirs.is_some();
        let waited = self.since.is_some_and(|since| since.elapsed() > LINGER);
        self.is_complete() && (informed || waited)
    }

    /// Sends the end three more times, because the other side may still wait for it.
    fn farewell(&self, link: &mut Link, peer: SocketAddr) -> Result<(), WireError> {
        if let Some(end) = self.ours {
            for _ in 0..3 {
                link.send(peer, &Note::End(End { seen: true, ..end }))?;
            }
        }
        Ok(())
    }

    /// Returns the difference if the hashes differ.
    fn difference(&self, player: u8, peer: SocketAddr) -> Option<WireDifference> {
        let End { differs, tick, own: here, other, .. } = self.ours?;
        let there = if differs { other } else { self.theirs?.own };
        let found = self.found;
        (here != there).then_some(WireDifference { tick, player, here, there, peer, found })
    }
}
