import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuipu, type Output, type Quipu } from '@quipu/sdk'
import type { Page } from 'playwright-core'
import { type ScreenName, screens } from '../../web/src/screens.table.ts'
import { hasAllCases } from '../support/cases.ts'
import { waitUntil } from '../support/wait-until.ts'
import { barDifferences, differences, symbolIn, symbolsOf } from './instant-compare.ts'
import { ApiNumbers, type Played } from './instant-numbers.ts'
import { readShown, type Shown, screenChecks, showEquity, showTables } from './instant-screens.ts'
import { moveTo, openStage, visit } from './stage.ts'

/**
 * Every number on screen is of the instant of the stamp in the top bar. The test plays the scenario `flash-crash` at all
 * speeds, pauses, jumps, forks, trades and loses the connection. After each step it compares all numbers, curves and candles
 * of the screens with the API; while the clock runs, those of the account snapshot, which has every past instant.
 *
 * A number takes part by its name: the prop `of` of Money, Price, Quantity, Gain, LineChart and Spark, or `data-number` of
 * any element. `instant-numbers.ts` has the number of the API for each name. A number without a name is an error. A new
 * screen gets a row in `instant-screens.ts`.
 */
const seeds = hasAllCases ? Array.from({ length: 10 }, (_, index) => `crash-${index}`) : ['crash-0']
/** After each step the short run visits the workspace, and in turns this many of its tabs and of the other addresses. */
const VISITS = 2
/** How often the short and the long run read the numbers while a clock runs. */
const LOOKS = hasAllCases ? 4 : 2

const stage = await openStage()
const { operator, broker } = stage

type Play = Played & {
  readonly page: Page
  /** An order that waits for a price. */
  orderId: string
  /** Numbers that were compared. */
  compared: number
  visits: number
  readonly wrong: string[]
}

const snapshotOf = ({ world, accountId }: Played) =>
  operator.getAccountSnapshot({ params: { world, account_id: accountId }, query: {} })

/** Screens that read other operations than the account snapshot follow within this time. */
const FOLLOWS_MS = 15_000

/** Waits until the screen shows the instant at which the world has stopped, and all its numbers are those of the API. */
async function assertScreen(
  play: Play,
  path: string,
  has: readonly RegExp[],
  others: string | undefined,
  step: string,
) {
  const now = await snapshotOf(play)
  let api: ApiNumbers | undefined
  let wrong: readonly string[] = []
  for (const endMs = performance.now() + FOLLOWS_MS; ; ) {
    await showTables(play.page)
    const shown = await readShown(play.page, others)
    if (!shown) wrong = ['no stamp']
    else if (shown.time !== now.time || shown.event !== now.event || shown.isStale)
      wrong = [
        `as of ${shown.time} event ${shown.event}${shown.isStale ? ' stale' : ''} for ${now.time} event ${now.event}`,
      ]
    else {
      const missing = has.filter((name) => !shown.numbers.some(([one]) => name.test(one)))
      const symbols = symbolsOf(shown)
      if (!api || symbols.some((one) => !api!.snapshot.prices.some(({ symbol }) => symbol === one)))
        api = await ApiNumbers.at(operator, play, {
          ...symbolIn(path),
          event: now.event,
          time: now.time,
          symbols,
        })
      wrong = [
        ...missing.map((name) => `no number ${name}`),
        ...(await differences(play, api, shown)),
        ...(await barDifferences(play, api, path, shown)),
      ]
    }
    if (wrong.length === 0) return
    if (performance.now() > endMs) break
    await play.page.waitForTimeout(100)
  }
  note(play, wrong, `${step}: ${path} as of ${now.time} event ${now.event}`)
}

/** The test goes on after a wrong number, so that one run finds all of them. */
function note(play: Play, wrong: readonly string[], where: string): void {
  if (wrong.length > 0) play.wrong.push([where, ...wrong.slice(0, 10)].join('\n'))
}

async function assertAddress(play: Play, screen: ScreenName, index: number, step: string): Promise<void> {
  const { addresses, others } = screenChecks[screen]
  const { path, has, tabs = [] } = addresses(play.orderId)[index]!
  await moveTo(play.page, `${path}${path.includes('?') ? '&' : '?'}world=${play.world}`)
  if (screen === 'workspace') await showEquity(play.page)
  await assertScreen(play, path, has, others, step)
  const turn = hasAllCases || tabs.length === 0 ? tabs : [tabs[(play.visits / VISITS) % tabs.length]!]
  for (const tab of turn) {
    await play.page.getByRole('tab', { name: tab }).click()
    await assertScreen(play, path, has, others, `${step}, tab ${tab}`)
  }
}

/** Compares the workspace and the other screens while the world stands. */
async function assertStopped(play: Play, step: string): Promise<void> {
  const all = screens.flatMap(({ name }) =>
    screenChecks[name].addresses(play.orderId).map((_, index) => ({ name, index })),
  )
  const others = all.filter(({ name, index }) => name !== 'workspace' || index > 0)
  const turn = hasAllCases
    ? others
    : Array.from({ length: VISITS }, (_, at) => others[(play.visits + at) % others.length]!)
  for (const { name, index } of [{ name: 'workspace' as const, index: 0 }, ...turn])
    await assertAddress(play, name, index, step)
  play.visits += turn.length
}

/** Compares the numbers of the account snapshot at the instant of the stamp, which has passed. */
async function assertMoment(play: Play, shown: Shown | null, step: string): Promise<void> {
  assert.ok(shown, `${step}: no stamp`)
  const { event, time } = shown
  const moment = { event, time, symbol: 'AAPL', symbols: symbolsOf(shown) }
  const api = await ApiNumbers.at(operator, play, moment)
  const numbers = shown.numbers.filter(([name]) => api.ofSnapshot(name) !== undefined)
  const curves = shown.curves.filter(([name]) => name === 'curve')
  const sparks = shown.sparks.filter(([name]) => name === 'equity')
  const wrong = await differences(play, api, { ...shown, numbers, curves, sparks, unnamed: [] })
  note(play, wrong, `${step}: as of ${time} event ${event}`)
}

/** Compares the numbers of the account snapshot while the clock runs. */
async function assertRunning(play: Play, speed: number, step: string): Promise<void> {
  const params = { world: play.world }
  await moveTo(play.page, `/?symbol=AAPL&world=${play.world}`)
  await showEquity(play.page)
  await showTables(play.page)
  await operator.runClock({ params, body: { speed: speed as never } })
  const looks: (Shown | null)[] = []
  for (let look = 0; look < LOOKS; look += 1) {
    await play.page.waitForTimeout(300)
    looks.push(await readShown(play.page))
  }
  // The past is read afterwards, so that the clock does not run on meanwhile.
  await operator.freezeClock({ params })
  for (const [look, shown] of looks.entries()) await assertMoment(play, shown, `${step}, look ${look}`)
}

async function openPlay(page: Page, seed: string): Promise<Play> {
  const { accounts } = await operator.createScenarioWorld({
    body: { name: 'flash-crash', world: seed, seed },
  })
  const opened = accountOf(accounts)
  const tree = new Map([[seed, opened.accountId]])
  return { page, world: seed, tree, orderId: '', compared: 0, visits: 0, wrong: [], ...opened }
}

type Accounts = Output<'createWorld'>['accounts']

function accountOf([first]: Accounts): Pick<Play, 'accountId' | 'account'> {
  const { account_id: accountId, key_id: keyId, secret_key: secretKey } = first!
  return { accountId, account: createQuipu({ url: broker.url, keyId, secretKey }) }
}

const order = (symbol: string, side: 'buy' | 'sell', qty: string, prices: object = {}) =>
  ({
    symbol,
    side,
    qty,
    type: 'limitPrice' in prices ? 'limit' : 'stopPrice' in prices ? 'stop' : 'market',
    ...prices,
  }) as Parameters<Quipu['orders']['place']>[0]

for (const seed of seeds)
  test(`seed ${seed}: all numbers on screen are of one instant`, async (t) => {
    const page = await visit(t, '/keys')
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    const play = await openPlay(page, seed)
    const advance = (by: string) => operator.advanceClock({ params: { world: play.world }, body: { by } })
    await play.account.orders.place(order('AAPL', 'buy', '100'))
    await play.account.orders.place(order('TSLA', 'sell', '20'))
    const { id } = await play.account.orders.place(order('KO', 'buy', '5', { limitPrice: '1.00' }))
    play.orderId = id
    await advance('2s')
    await assertStopped(play, 'after two fills')
    await assertRunning(play, 1, '1×')
    await assertStopped(play, 'paused after 1×')
    await assertRunning(play, 60, '60×')
    await assertStopped(play, 'paused after 60×')
    await operator.advanceClock({ params: { world: play.world }, body: { to: '2026-01-05T15:09:00Z' } })
    await assertStopped(play, 'jumped before the crash')
    await play.account.orders.place(order('MSFT', 'buy', '10'))
    await advance('2s')
    const held = (await snapshotOf(play)).positions.find(({ symbol }) => symbol === 'MSFT')
    // The crash reaches it.
    const stop = (Number(held?.current_price) * 0.93).toFixed(2)
    await play.account.orders.place(order('MSFT', 'sell', '4', { stopPrice: stop }))
    await assertRunning(play, 600, '600× into the crash')
    await assertStopped(play, 'paused after 600×')
    await page.context().setOffline(true)
    await advance('3m')
    await page.context().setOffline(false)
    await assertStopped(play, 'back after a lost connection')
    const fork = await operator.forkWorld({ params: { world: play.world }, body: { world: `${seed}-fork` } })
    const forked = accountOf(fork.accounts)
    Object.assign(play, {
      world: fork.world,
      ...forked,
      tree: new Map([...play.tree, [fork.world, forked.accountId]]),
    })
    await play.account.orders.place(order('AAPL', 'sell', '40'))
    await advance('90s')
    await assertStopped(play, 'in a fork')
    await assertRunning(play, 100_000, 'Max')
    await assertStopped(play, 'paused after Max')
    assert.deepEqual(play.wrong, [])
    t.diagnostic(`${play.compared} numbers compared`)
    assert.ok(play.compared > 2000, `${play.compared} numbers compared`)
  })

test('main, with the clock of the machine: all numbers are of the stamp, and the curve grows', async (t) => {
  const page = await visit(t, '/keys')
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  const { id: accountId } = await stage.account.client.getAccount()
  const tree = new Map([['main', accountId]])
  const { account } = stage
  const play: Play = {
    page,
    world: 'main',
    accountId,
    account,
    tree,
    orderId: '',
    compared: 0,
    visits: 0,
    wrong: [],
  }
  await moveTo(page, '/?symbol=AAPL&world=main')
  await showEquity(page)
  await showTables(page)
  const pointsOf = (shown: Shown | null) => shown?.curves.find(([name]) => name === 'curve')?.[1].length ?? 0
  const first = await readShown(page)
  await assertMoment(play, first, 'at first')
  // A curve of a day has a point for each minute.
  if (hasAllCases) await page.waitForTimeout(64_000 - (Date.now() % 60_000))
  else await waitUntil('the stamp is later', async () => (await readShown(page))!.time > first!.time)
  const second = await readShown(page)
  await assertMoment(play, second, 'later')
  assert.deepEqual(play.wrong, [])
  assert.ok(second!.time > first!.time, `${first!.time} ${second!.time}`)
  if (hasAllCases)
    assert.ok(pointsOf(second) > pointsOf(first), `${pointsOf(first)} points, then ${pointsOf(second)}`)
  else assert.ok(pointsOf(second) > 0)
})
