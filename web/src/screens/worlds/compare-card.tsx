import type { JSX } from 'preact'
import { moneyText } from '../../format/amounts.ts'
import { numberOf } from '../../format/decimal.ts'
import { minuteText } from '../../format/times.ts'
import { worldEvents } from '../../live/market-events.ts'
import { Card } from '../../parts/card.tsx'
import { LineChart } from '../../parts/line-chart.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { type World, worlds } from '../../session/selection.ts'
import { type Compared, comparedWorlds, compareProblem, forkPointOf, useCompared } from './compare-data.ts'
import { otherOf } from './difference-data.ts'

/** The equity curves of two worlds. */
export function CompareCard({ world }: { readonly world: World }): JSX.Element {
  const others = (worlds.value ?? []).filter((one) => one.world !== world.world && one.accounts.length > 0)
  const other = otherOf(world, others)
  const shown = other ? [world, other] : [world]
  const retry = useCompared(shown)
  const read = comparedWorlds.value?.filter((one) => shown.some(({ world: name }) => name === one.world))
  const problem = compareProblem.value
  const [left, right] = [
    read?.find((one) => one.world === world.world),
    read?.find((one) => one.world === other?.world),
  ]
  return (
    <Card title="Equity" beside={<Legend left={left} right={right} />}>
      {problem ? (
        <Failed what="the comparison" error={problem} retry={retry} />
      ) : !left ? (
        comparedWorlds.value ? (
          <Empty icon="globe" title="You have no account in this world">
            Its equity and orders belong to others.
          </Empty>
        ) : (
          <div class="compare-loading">
            <Loading rows={6} />
          </div>
        )
      ) : (
        <Comparison world={world} other={other} left={left} right={right} />
      )}
    </Card>
  )
}

type LegendProps = { readonly left: Compared | undefined; readonly right: Compared | undefined }

/** Which curve is whose. The amounts are those of the difference and of the tree. */
const Legend = ({ left, right }: LegendProps): JSX.Element => (
  <ul class="compare-legend small soft">
    {left && <li>{left.world}</li>}
    {right && <li class="other">{right.world}</li>}
  </ul>
)

type ComparisonProps = {
  readonly world: World
  readonly other: World | undefined
  readonly left: Compared
  readonly right: Compared | undefined
}

function Comparison({ world, other, left, right }: ComparisonProps): JSX.Element {
  const forkedAt = other && forkPointOf(world, other)
  return (
    <div class="compare-chart">
      <Curves left={left} right={right} forkedAt={forkedAt} />
    </div>
  )
}

const SESSION_OVER_MS = 900_000

type CurvesProps = {
  readonly left: Compared
  readonly right: Compared | undefined
  readonly forkedAt: number | undefined
}

function Curves({ left, right, forkedAt }: CurvesProps): JSX.Element {
  const both = right ? [left, right] : [left]
  // Equity now is the end of the curve, unless its session is over.
  const withNow = ({ points, nowMs, equity }: Compared) =>
    nowMs - (points.at(-1)?.[0] ?? 0) < SESSION_OVER_MS || points.length === 0
      ? [...points, [nowMs, numberOf(equity)] as const]
      : points
  const points = both.map(withNow)
  const values = points.flat().map(([, value]) => value)
  const times = points.flat().map(([at]) => at)
  const [fromMs, nowMs] = [Math.min(...times), Math.max(...times)]
  const spread = Math.max(...values) - Math.min(...values)
  const [ours, theirs] = points.map((curve) => curve.at(-1)?.[1])
  // Two labels on one line would hide each other.
  const areApart = ours === undefined || theirs === undefined || Math.abs(ours - theirs) > spread * 0.08
  const atFork = forkedAt === undefined ? undefined : points[0]!.findLast(([at]) => at <= forkedAt)
  const isVirtual = both.every((one) => one.isVirtual)
  const isShown = forkedAt !== undefined && forkedAt >= fromMs
  return (
    <LineChart
      of="compared"
      height={262}
      summary={summaryOf(both, fromMs, nowMs, forkedAt)}
      fromMs={fromMs}
      toMs={isVirtual ? nowMs + Math.max((nowMs - fromMs) * 0.1, 300_000) : Math.max(nowMs, fromMs + 60_000)}
      nowMs={isVirtual ? nowMs : undefined}
      series={[
        ...(right ? [{ name: right.world, color: 'var(--warn)', points: points[1]!, tag: areApart }] : []),
        { name: left.world, color: 'var(--accent)', points: points[0]!, tag: true },
      ]}
      marks={
        isShown && atFork ? [{ atMs: forkedAt, value: atFork[1], color: 'var(--sim)', hollow: true }] : []
      }
      events={[
        ...(isShown ? [{ label: `Forked ${minuteText(forkedAt)}`, fromMs: forkedAt }] : []),
        ...worldEvents.value,
      ]}
    />
  )
}

function summaryOf(
  both: readonly Compared[],
  fromMs: number,
  toMs: number,
  forkedAt: number | undefined,
): string {
  const lowest = both.map(({ world, points }) => {
    const values = points.map(([, value]) => value)
    return values.length === 0 ? world : `${world} ${moneyText(Math.min(...values).toFixed(2))}`
  })
  const names = both.map(({ world }) => world).join(' and ')
  const fork = forkedAt === undefined ? '' : ` Equal until the fork at ${minuteText(forkedAt)}.`
  return `Equity of ${names} from ${minuteText(fromMs)} to ${minuteText(toMs)}.${fork} Lowest: ${lowest.join(', ')}.`
}
