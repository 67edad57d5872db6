import type { Ticker } from '../../ids.ts'
import type { Hours } from '../../world.ts'
import { midnightIn } from '../history/zone.ts'
import { concerns, type MarketEvent, underFirstNames } from '../market-event.ts'
import { closeBefore, type Issue, profileAfter } from './changes.ts'
import { type TapeCalendar, tapeCalendarOf } from './factors/pace.ts'
import { overlay } from './overlay.ts'
import { makePieces } from './pieces.ts'
import type { Profile, Profiles } from './profile.ts'
import { type Stitched, stitch } from './stitch.ts'
import type { Tape } from './tape.ts'
import type { KernelWindow } from './windows.ts'

/** The tapes of a market, each created on first use. */
export type Tapes = { get(symbol: Ticker): Tape | undefined }

/** The same seed, hours, profiles, market events and issues give the same tapes, for any order of queries. */
export function makeMarket(setup: {
  readonly seed: string
  readonly hours: Hours
  readonly profiles: readonly Profile[]
  /** The profile of a symbol that is not in the list. */
  readonly otherProfile?: (symbol: Ticker) => Profile | undefined
  readonly marketEvents?: readonly MarketEvent[] | undefined
  /** Symbols changed by corporate actions. */
  readonly issues?: ReadonlyMap<Ticker, Issue> | undefined
}): Tapes {
  const { issues } = setup
  const marketEvents = underFirstNames(setup.marketEvents ?? [], (symbol) => issues?.get(symbol)?.origin)
  const profiles = withOthers(bySymbol(setup.profiles), setup.otherProfile)
  const makePiece = makePieces({ ...setup, marketEvents, profiles })
  const make = (profile: Profile, issue: Issue | undefined): Tape => {
    const leaders = leadersIn(profiles, profile)
    const symbolEvents = marketEvents.filter((each) => concerns(each, profile.symbol, leaders))
    const calendar = tapeCalendarOf(profile)
    const piece = (of: Profile, number: number) => makePiece(of, number, symbolEvents)
    const { tape, windows } = piece(profile, 0)
    if (!issue) return withWindows(tape, calendar, windows)
    const later = laterPieces(profile, issue, {
      tapeWith: (pieces) => withWindows(stitch(tape, pieces), calendar, windows),
      makeTape: (of, number) => piece(of, number).tape,
    })
    const end = issue.endDay === undefined ? [] : [endOf(midnightIn(calendar.zone, issue.endDay))]
    return withWindows(stitch(tape, later), calendar, [...windows, ...end])
  }
  const made = new Map<Ticker, Tape>()
  return {
    get(symbol) {
      const known = made.get(symbol)
      if (known) return known
      const issue = issues?.get(symbol)
      const profile = profiles.get(issue?.origin ?? symbol)
      if (!profile) return undefined
      const tape = make(profile, issue)
      made.set(symbol, tape)
      return tape
    },
  }
}

/** The leader of a symbol, and that leader's leaders. */
function leadersIn(profiles: Profiles, profile: Profile): readonly Ticker[] {
  const leader = profile.follows && profiles.get(profile.follows.leader)
  return leader ? [leader.symbol, ...leadersIn(profiles, leader)] : []
}

const withWindows = (tape: Tape, calendar: TapeCalendar, windows: readonly KernelWindow[]): Tape =>
  windows.length === 0 ? tape : overlay(tape, calendar, windows)

/** A window without trades from this time on. */
const endOf = (from: number): KernelWindow => ({ from, to: Number.POSITIVE_INFINITY, isSilent: true })

/** One tape for each change, based on the last price of the previous tape. */
function laterPieces(
  profile: Profile,
  { changes }: Issue,
  {
    tapeWith,
    makeTape: makeTapeOf,
  }: {
    readonly tapeWith: (pieces: readonly Stitched[]) => Tape
    readonly makeTape: (profile: Profile, number: number) => Tape
  },
): readonly Stitched[] {
  const later: Stitched[] = []
  let latest = profile
  for (const change of changes) {
    const close = closeBefore(tapeWith(later), change.day)
    if (close === undefined) continue
    latest = profileAfter(latest, change, close)
    later.push({ day: change.day, tape: makeTapeOf(latest, later.length + 1) })
  }
  return later
}

const withOthers = (listed: Profiles, other: Profiles['get'] | undefined): Profiles =>
  other ? { get: (symbol) => listed.get(symbol) ?? other(symbol) } : listed

/** Worlds with the same list share the index. */
const indexes = new WeakMap<readonly Profile[], ReadonlyMap<Ticker, Profile>>()

function bySymbol(profiles: readonly Profile[]): ReadonlyMap<Ticker, Profile> {
  const known = indexes.get(profiles)
  if (known) return known
  const index = new Map(profiles.map((profile) => [profile.symbol, profile]))
  indexes.set(profiles, index)
  return index
}
