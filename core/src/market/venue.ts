import { addDays, type CivilDate } from '../civil-date.ts'
import { fromNewYork, type Instant, newYork } from '../time.ts'
import { nextSession, session } from './calendar.ts'

/**
 * Kinds of markets with New York days. equities: pre-market, regular hours and after-market. options: regular
 * hours only. overnight: from the previous evening until the pre-market.
 */
export type VenueKind = 'equities' | 'options' | 'overnight'

export type Phase = 'pre' | 'core' | 'post'
/** `to` is exclusive. */
export type PhaseSpan = { readonly phase: Phase; readonly from: Instant; readonly to: Instant }

/** Trading phase of a market at an instant. */
export type VenueClock = {
  readonly isMarketDay: boolean
  readonly phase: Phase | 'closed'
  readonly until: Instant
  readonly nextOpen: Instant
  readonly nextClose: Instant
}

const EVENING_MINUTE = 20 * 60

/** The phases of a date, in order; empty on a day without a session. */
export function phasesOf(kind: VenueKind, date: CivilDate): readonly PhaseSpan[] {
  const today = session(date)
  if (!today) return []
  const { preOpen, open, close, postClose } = today
  const core: PhaseSpan = { phase: 'core', from: open, to: close }
  switch (kind) {
    case 'equities':
      return [{ phase: 'pre', from: preOpen, to: open }, core, { phase: 'post', from: close, to: postClose }]
    case 'options':
      return [core]
    case 'overnight':
      return [{ phase: 'core', from: fromNewYork(addDays(date, -1), EVENING_MINUTE), to: preOpen }]
  }
}

export function venueAt(kind: VenueKind, at: Instant): VenueClock {
  const spans = spansAround(kind, at)
  const cores = spans.filter(({ phase }) => phase === 'core')
  const now = spans.find(({ from, to }) => from <= at && at < to)
  const { date } = newYork(at)
  return {
    isMarketDay: session(date) !== undefined,
    phase: now?.phase ?? 'closed',
    until: now?.to ?? first(spans, ({ from }) => from > at).from,
    nextOpen: first(cores, ({ from }) => from > at).from,
    nextClose: first(cores, ({ to }) => to > at).to,
  }
}

/**
 * Phases of the current date and the next two sessions, because an overnight session starts in the evening
 * before.
 */
function spansAround(kind: VenueKind, at: Instant): readonly PhaseSpan[] {
  const { date } = newYork(at)
  const next = nextSession(date).date
  return [date, next, nextSession(next).date].flatMap((day) => phasesOf(kind, day))
}

function first(spans: readonly PhaseSpan[], matches: (span: PhaseSpan) => boolean): PhaseSpan {
  const found = spans.find(matches)
  if (!found) throw new Error('bug: no session found')
  return found
}
