import {
  array,
  decimal,
  integer,
  isPositive,
  type MomentText,
  map,
  moment,
  optional,
  record,
} from '../../shape/index.ts'

const MINUTE_NS = 60_000_000_000n
const MINUTES_PER_DAY = 1440
const MINUTES_MAX = 200_000

const Point = record({
  at: moment().about('A whole minute.'),
  price: decimal({ decimals: 9 }).where(isPositive, 'price must be > 0').about('In dollars.'),
  volume: optional(integer({ min: 1, max: 1_000_000_000 })).about(
    'Shares or coins traded per minute from this point on. Default: 12000.',
  ),
}).named('PricePoint')

type Points = readonly { readonly at: MomentText }[]

const areInOrder = (points: Points): boolean =>
  points.length > 0 &&
  points.every(
    ({ at: { nanos } }, index) =>
      nanos >= 0n && nanos % MINUTE_NS === 0n && nanos > (points[index - 1]?.at.nanos ?? -1n),
  )

/** Points of one day are at most a day apart, so this is an upper limit. */
const minutesIn = (points: Points): number =>
  points.reduce((sum, { at: { nanos } }, index) => {
    const next = points[index + 1]?.at.nanos ?? nanos
    return sum + Math.min(Number((next - nanos) / MINUTE_NS), MINUTES_PER_DAY) + 1
  }, 0)

/** Price paths by symbol. */
export const newPrices = () =>
  map(
    array(Point).where(
      areInOrder,
      'prices: expected at least one point, each at a whole minute and later than the one before',
    ),
  ).where(
    (prices) => Object.values(prices).reduce((sum, points) => sum + minutesIn(points), 0) <= MINUTES_MAX,
    `prices: expected at most ${MINUTES_MAX} minutes in total`,
  )
