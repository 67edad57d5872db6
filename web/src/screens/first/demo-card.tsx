import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { moneyText } from '../../format/amounts.ts'
import { dayKey, minuteText, newYorkMs } from '../../format/times.ts'
import { clocks } from '../../live/clock.ts'
import { DEMO } from '../../live/first-steps.ts'
import { eventTitle, spanOf } from '../../live/market-events.ts'
import { Gain, Money } from '../../parts/amounts.tsx'
import { Card } from '../../parts/card.tsx'
import type { Point } from '../../parts/chart-frame.ts'
import { Icon } from '../../parts/icon.tsx'
import { LineChart } from '../../parts/line-chart.tsx'
import { ask } from '../../parts/question.tsx'
import { LoadingNumber } from '../../parts/states.tsx'
import { actingOperator, connect } from '../../session/connections.ts'
import { worlds } from '../../session/selection.ts'
import { demoHref, demoNowMs, demoProblem, demoWorld, isDemoReady, makeDemoWorld, playing } from './demo.ts'

type Figures = {
  readonly points: readonly Point[]
  readonly equity: string
  readonly gain: string
  readonly fills: number
}
/** What the account of the demo has; undefined until it is read. */
const figures = signal<Figures | undefined>(undefined)

async function readFigures(accountId: string): Promise<void> {
  const { client } = connect({ kind: 'account', world: DEMO, accountId })
  const query = { period: '1D', timeframe: '1Min', intraday_reporting: 'market_hours' } as const
  const today = dayKey(demoNowMs.peek())
  const [history, account, fills] = await Promise.all([
    client.getPortfolioHistory({ query }),
    client.getAccount(),
    client.listActivitiesByType({ params: { activity_type: 'FILL' }, query: { date: today } }),
  ])
  const points = history.timestamp.map(
    (at, index) => [Number(at) * 1000, Number(history.equity[index])] as const,
  )
  figures.value = {
    points,
    equity: account.equity,
    gain: Number(history.profit_loss.at(-1) ?? 0).toFixed(2),
    fills: fills.length,
  }
}

/** A world with a day to play with: made when it is first wanted, never a part of `main`. */
export function DemoCard(): JSX.Element {
  const world = demoWorld.value
  const isReady = isDemoReady.value
  const accountId = world?.accounts[0]?.account_id
  useEffect(() => {
    if (isReady && accountId !== undefined) void readFigures(accountId).catch(() => undefined)
  }, [isReady, accountId, world?.seq])
  return (
    <Card title={`${DEMO}, a day you can play with`} beside={<span class="chip sim right">virtual</span>}>
      <div class="body">
        <p class="soft">
          A bot trades through a crash. Everything in it is yours to change; <b>main</b> is not affected.
        </p>
        {demoProblem.value && (
          <p class="of-wrong small" role="alert">
            {demoProblem.value.message}
          </p>
        )}
        {isReady && figures.value && <DemoChart points={figures.value.points} />}
      </div>
      {isReady && <DemoStats />}
      <footer>{isReady ? <ReadyActions /> : <MakeActions />}</footer>
    </Card>
  )
}

const DemoStats = (): JSX.Element => (
  <div class="stats">
    <div>
      <h3>Equity</h3>
      {figures.value ? <Money value={figures.value.equity} /> : <LoadingNumber />}
    </div>
    <div>
      <h3>Today</h3>
      {figures.value ? <Gain value={figures.value.gain} /> : <LoadingNumber />}
    </div>
    <div>
      <h3>Fills</h3>
      {figures.value ? <span class="n">{figures.value.fills}</span> : <LoadingNumber />}
    </div>
  </div>
)

function DemoChart({ points }: { readonly points: readonly Point[] }): JSX.Element {
  const now = demoNowMs.value
  const events = (demoWorld.value?.market_events ?? [])
    .filter(({ kind }) => kind === 'crash')
    .flatMap((event) => {
      const span = spanOf(event)
      return span ? [{ label: eventTitle(event), ...span }] : []
    })
  const fromMs = newYorkMs(dayKey(now), '09:30')
  const shown = points.filter(([at]) => at >= fromMs && at <= now)
  const values = shown.map(([, value]) => value)
  const lowest = values.length === 0 ? '' : `, lowest ${moneyText(Math.min(...values).toFixed(2))}`
  return (
    <LineChart
      height={132}
      summary={`Equity of the demo bot through the crash until ${minuteText(now)}${lowest}.`}
      series={[{ name: 'Equity', color: 'var(--accent)', points: shown, area: true, tag: true }]}
      fromMs={fromMs}
      toMs={now}
      nowMs={undefined}
      events={events}
    />
  )
}

const ReadyActions = (): JSX.Element => (
  <>
    <a class="button small sim" href={demoHref('workspace')}>
      Open {DEMO}
    </a>
    <button data-changes type="button" class="button small bare" onClick={() => void remove()}>
      Delete {DEMO}
    </button>
  </>
)

function MakeActions(): JSX.Element {
  const time = playing.value
  const isStopped = demoWorld.value !== undefined && time === undefined
  // Only its clock says how far the day was played.
  const isUnknown = worlds.value === undefined || (isStopped && !clocks.value.has(DEMO))
  if (isUnknown) return <LoadingNumber />
  if (isStopped)
    return (
      <>
        <span>Its day was not played to the end.</span>
        <button data-changes type="button" class="button small" onClick={() => void remove()}>
          Delete {DEMO}
        </button>
      </>
    )
  return (
    <button
      data-changes
      type="button"
      class="button small sim"
      disabled={time !== undefined}
      onClick={() => void makeDemoWorld()}
    >
      <Icon name="play" /> {time === undefined ? 'Play the day' : `Playing ${time}`}
    </button>
  )
}

async function remove(): Promise<void> {
  const isSure = await ask({
    title: `Delete ${DEMO}?`,
    effect: 'Its orders and positions are deleted. You can play the day again.',
    keep: 'Keep it',
    confirm: `Delete ${DEMO}`,
  })
  if (!isSure) return
  figures.value = undefined
  await actingOperator().client.deleteWorld({ params: { world: DEMO } })
}
