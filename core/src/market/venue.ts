import { addDays, type CivilDate, fromNewYork, type Instant, newYork } from '../time.ts'
import { nextSession, session } from './calendar.ts'

/**
 * Kinds of markets that keep New York's days:
 * equities: before, during and after the regular hours; options: during them alone; overnight: from the evening
 * before until the equities wake.
 */
export type VenueKind = 'equities' | 'options' | 'overnight'

export type Phase = 'pre' | 'core' | 'post'
/** The end is no longer part of it. */
export type PhaseSpan = { readonly phase: Phase; readonly from: Instant; readonly to: Instant }

/** What a clock on the wall of a market tells. */
export type VenueClock = {
  readonly isMarketDay: boolean
  readonly phase: Phase | 'closed'
  readonly until: Instant
  readonly nextOpen: Instant
  readonly nextClose: Instant
}

const EVENING_MINUTE = 20 * 60

/** The phases of a date, in order; none on a day without a session. */
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

/** A market at an instant. */
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

/** Of the day it is, and of the two sessions after it: the next one may have begun in the evening. */
function spansAround(kind: VenueKind, at: Instant): readonly PhaseSpan[] {
  const { date } = newYork(at)
  const next = nextSession(date).date
  return [date, next, nextSession(next).date].flatMap((day) => phasesOf(kind, day))
}

function first(spans: readonly PhaseSpan[], holds: (span: PhaseSpan) => boolean): PhaseSpan {
  const found = spans.find(holds)
  if (!found) throw new Error('bug: no session is near')
  return found
}
