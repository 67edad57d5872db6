import {
  decimal,
  decimalText,
  duration,
  integer,
  oneOf,
  optional,
  record,
  text,
  withDefault,
} from '../../shape/index.ts'

const shapes = () => oneOf('uniform', 'long_tail')
const nanosPerDay = 86_400_000_000_000n

/** A seeded duration between two bounds. */
const newDelay = (field: string) =>
  record({
    min: withDefault(duration(), 0n).about('Shortest duration.'),
    max: duration().about('Longest duration, at most 1d.'),
    shape: withDefault(shapes(), 'uniform').about(
      'uniform: all durations are equally likely. long_tail: most are near the shortest.',
    ),
  }).refine(({ min, max }) => {
    if (max > nanosPerDay) return { field: 'max', message: `venue.${field}.max: expected at most 1d` }
    return min <= max ? undefined : { field: 'min', message: `venue.${field}.min: expected at most max` }
  })

const Delay = record({ min: text(), max: text(), shape: shapes() }).named('Delay')

const isShare = (value: string): boolean => !value.startsWith('-') && Number(value) <= 1
/** A part of all cases, from 0 to 1. */
const newShare = (field: string) =>
  decimal({ decimals: 6 }).where(isShare, `venue.${field}: expected a share from 0 to 1`)

const PIECES_MAX = 100
const newPieces = () =>
  record({ min: integer({ min: 1, max: PIECES_MAX }), max: integer({ min: 1, max: PIECES_MAX }) }).refine(
    ({ min, max }) =>
      min <= max
        ? undefined
        : { field: 'venue.fill_pieces.min', message: 'venue.fill_pieces.min: expected at most max' },
  )

/** Behaviour of the market towards orders. Everything is off by default. */
export const newVenue = () =>
  record({
    latency: optional(newDelay('latency')).about(
      'Time from the acceptance of an order until the market acknowledges it. Instead of the fixed latency.',
    ),
    reject_share: optional(newShare('reject_share')).about('Share of orders that the market rejects.'),
    cancel_latency: optional(newDelay('cancel_latency')).about(
      'Time from the request until the market decides on a cancel. A fill in between wins.',
    ),
    replace_latency: optional(newDelay('replace_latency')).about(
      'Time from the request until the market decides on a replacement. A fill in between wins.',
    ),
    cancel_reject_share: optional(newShare('cancel_reject_share')).about(
      'Share of cancels that the market rejects.',
    ),
    replace_reject_share: optional(newShare('replace_reject_share')).about(
      'Share of replacements that the market rejects.',
    ),
    done_for_day_share: optional(newShare('done_for_day_share')).about(
      'Share of orders that the market stops working for the rest of the session.',
    ),
    fill_pieces: optional(newPieces()).about('Number of pieces in which an order fills, from min to max.'),
    fill_interval: optional(newDelay('fill_interval')).about('Time between two pieces. Default: 1s to 10s.'),
    participation: optional(newShare('participation')).about(
      'All fills of a minute together are at most this share of its volume.',
    ),
    impact_basis_points: optional(integer({ min: 0, max: 1000 })).about(
      'The price moves by so many basis points per displayed size that an order takes.',
    ),
  }).named('NewVenue')

export const VenueShape = record({
  latency: optional(Delay),
  reject_share: optional(decimalText()),
  cancel_latency: optional(Delay),
  replace_latency: optional(Delay),
  cancel_reject_share: optional(decimalText()),
  replace_reject_share: optional(decimalText()),
  done_for_day_share: optional(decimalText()),
  fill_pieces: optional(record({ min: integer(), max: integer() })),
  fill_interval: optional(Delay),
  participation: optional(decimalText()),
  impact_basis_points: optional(integer()),
}).named('Venue')
