import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { plainEnvironment } from '../support/broker.ts'
import { program } from '../support/program.ts'
import { command } from '../support/quipu-command.ts'
import { waitUntil } from '../support/wait-until.ts'
import { broker, folder } from './folder-broker.ts'

const run = (line: string) => command([...line.split(' '), '--data', folder])

async function text(line: string): Promise<string> {
  const { code, stdout, stderr } = await run(line)
  assert.equal(code, 0, `${line}: ${stderr}`)
  return stdout
}

const json = async (line: string) => JSON.parse(await text(`${line} --json`))

/** Waits until an order is filled. */
const waitForFill = (id: string) =>
  waitUntil(`${id} is filled`, async () => (await json(`order show ${id}`)).status === 'filled')

test('an order is placed, listed and canceled', async () => {
  const order = await json('order place buy AAPL 10 --limit 1.5 --tif gtc')
  assert.deepEqual(
    [order.symbol, order.side, order.qty, order.type, order.limit_price, order.time_in_force],
    ['AAPL', 'buy', '10', 'limit', '1.5', 'gtc'],
  )
  const listed = await text('order list')
  assert.match(listed, /^ID +ORDER +STATUS +PLACED \(UTC\)\n/)
  assert.match(
    listed,
    new RegExp(`^${order.id}  buy 10 AAPL limit 1.5 gtc  \\w+ +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d$`, 'm'),
  )
  assert.equal(await text(`order cancel ${order.id}`), `${order.id} is canceled\n`)
  assert.equal(await text('order list'), 'no open orders; --status all lists the others\n')
  const again = await run(`order cancel ${order.id}`)
  assert.equal(again.code, 4)
  assert.match(again.stderr, /^quipu order cancel: order is already in "canceled" state$/m)
})

test('an order that the market fills at once is shown with its fill, also in the list', async () => {
  assert.match(
    await text('order place buy NVDA 1'),
    /^ID .*\n[0-9a-f-]{36} {2}buy 1 NVDA market {2}filled at \d+\.\d+ /,
  )
  assert.match(await text('order list --status all --symbols NVDA'), / {2}filled at \d+\.\d+ /)
})

const kinds: readonly (readonly [flags: string, type: string])[] = [
  ['1', 'market'],
  ['1 --limit 1', 'limit'],
  ['1 --stop 9999', 'stop'],
  ['1 --stop 9999 --limit 9999', 'stop_limit'],
  ['1 --trail-percent 5', 'trailing_stop'],
  ['1 --limit 1 --take-profit 3 --stop-loss 0.5', 'limit'],
  ['--notional 50', 'market'],
]
for (const [flags, type] of kinds)
  test(`quipu order place buy KO ${flags} is a ${type} order`, async () => {
    const order = await json(`order place buy KO ${flags}`)
    assert.deepEqual([order.type, order.order_class], [type, flags.includes('profit') ? 'bracket' : ''])
  })

test('order cancel --all cancels all open orders', async () => {
  const { accountId } = broker
  await json(`order place buy MSFT 1 --limit 1 --account ${accountId}`)
  const canceled = await json('order cancel --all')
  assert(canceled.length > 0 && canceled.every((one: { canceled: boolean }) => one.canceled))
  assert.deepEqual(await json('order list'), [])
})

test('accounts are shown with cash, equity and positions', async () => {
  const { id } = await json('order place buy AAPL 2')
  await waitForFill(id)
  const positions = await text('position list')
  assert.match(positions, /^SYMBOL +QTY +ENTRY +PRICE +VALUE +GAIN +GAIN %\n/)
  assert.match(positions, /^AAPL +2 /m)
  const accounts = await text('account list')
  assert.match(accounts, /^ID +CASH +EQUITY +POSITIONS +KIND\n/)
  assert.match(
    accounts,
    new RegExp(`^${broker.accountId} +[\\d,]+\\.\\d\\d +[\\d,]+\\.\\d\\d +[1-9]  paper$`, 'm'),
  )
  assert(
    accounts.split('\n').every((line) => line.length <= 80),
    accounts,
  )
  const shown = await text(`account show ${broker.accountId}`)
  for (const line of [/^cash +[\d,]+\.\d\d$/m, /^equity +[\d,]+\.\d\d$/m, /^ {2}AAPL +2 /m, /^ {2}PK\w+ /m])
    assert.match(shown, line)
  const record = await json(`account show ${broker.accountId}`)
  assert.equal(record.positions.find(({ symbol }: { symbol: string }) => symbol === 'AAPL').qty, '2')
})

const mistakes: readonly (readonly [line: string, code: number, stderr: RegExp])[] = [
  ['order place hold AAPL 1', 2, /^quipu: SIDE: expected buy or sell, received "hold"\n$/],
  ['order place buy AAPL', 2, /^quipu: order place: expected QTY or --notional/],
  ['order place buy AAPL 1 --notional 5', 2, /^quipu: order place: expected QTY or --notional/],
  ['order place buy NOTHING 1', 4, /^quipu order place: .*NOTHING/],
  ['order place buy AAPL x', 4, /^quipu order place: QTY: expected a decimal, received "x"/],
  ['order place buy AAPL 1 --limit x', 4, /^quipu order place: --limit: expected a decimal, received "x"/],
  ['order place buy AAPL -1', 4, /^quipu order place: qty must be > 0/],
  ['order place buy AAPL 1 --tif never', 4, /^quipu order place: invalid --tif\n$/],
  ['order place buy AAPL 1 --limit 1.234', 4, /^quipu order place: invalid --limit 1\.234\. sub-penny/],
  ['order place buy AAPL 1 --take-profit x', 4, /^quipu order place: --take-profit: expected a decimal/],
  ['events --order x', 4, /^quipu events: --order: expected a UUID/],
  ['account create --positions AAPL:x', 4, /^quipu account create: --positions: expected a decimal/],
  ['account create --cash x', 4, /^quipu account create: --cash: expected a decimal/],
  ['user create ana --paper --cash x', 4, /^quipu user create: --cash: expected a decimal/],
  ['world create Bad', 4, /^quipu world create: NAME: expected a name of a-z/],
  ['world create --world x', 2, /the name of a new one is an argument: quipu world create x\n$/],
  ['world create x --symbols AAPL:x', 4, /^quipu world create: --symbols: expected from 0.02/],
  ['world create x --accounts x', 2, /^quipu: --accounts: expected a whole number, received "x"\n$/],
  ['world create x --accounts 1.5', 2, /^quipu: --accounts: expected a whole number, received "1.5"\n$/],
  ['clock advance', 2, /^quipu: clock advance: expected one of --by, --to and --until\n$/],
  ['status --timeout-ms x', 2, /^quipu: --timeout-ms: expected a whole number, received "x"\n$/],
  ['issuer restore st0x --grace x', 2, /^quipu: --grace: expected a whole number, received "x"\n$/],
  ['issuer configure st0x --by-wallet x', 2, /^quipu: --by-wallet: expected WALLET=WORD,…, received "x"\n$/],
  ['issuer create a --mint-url x --confirm-url y', 4, /^quipu issuer create: --mint-url: expected .*http/],
  ['app create X --redirect ftp://x', 4, /^quipu app create: --redirect: expected https/],
  [
    'market-event create pause AAPL --minutes x',
    2,
    /^quipu: --minutes: expected a whole number, received "x"/,
  ],
  ['account show 12', 4, /^quipu account show: account not found\n$/],
  ['order cancel', 2, /^quipu: order cancel: expected an order ID, or --all\n$/],
  ['order cancel 12', 2, /^quipu: ID: expected an order id, received "12"\n$/],
  ['position list --account 12', 4, /^quipu position list: --account: expected a UUID/],
  [
    'clock freeze',
    4,
    /^quipu clock freeze: main runs on the wall clock; create a world with `quipu world create`/,
  ],
  ['market-event create halt', 4, /^quipu market-event create: SYMBOL: required for kind halt\n$/],
]
for (const [line, code, stderr] of mistakes)
  test(`quipu ${line}: ${stderr}`, async () => {
    const done = await run(line)
    assert.match(done.stderr, stderr)
    assert.deepEqual([done.code, done.stdout], [code, ''])
  })

test('a market event is created and listed, with times of the clock of the world', async () => {
  await json('world create market-events --start 2026-01-05T15:00:00Z')
  const event = await json('market-event create halt AAPL --from 5m --to 1h --world market-events')
  assert.deepEqual([event.kind, event.symbol, event.from], ['halt', 'AAPL', '2026-01-05T15:05:00Z'])
  await json('market-event create crash --at 2026-01-05T16:00:00Z --depth 0.2 --world market-events')
  const lines = (await text('market-event list --world market-events')).split('\n')
  assert.match(lines[0]!, /^ID +STATUS +KIND +SYMBOL +FROM \(UTC\) +TO \(UTC\) +TERMS$/)
  assert.match(lines[1]!, /^1 +pending +halt +AAPL +2026-01-05 15:05:00 +2026-01-05 16:00:00 +news_pending$/)
  assert.match(lines[2]!, /^2 +pending +crash +every stock +2026-01-05 16:00:00 +- +down 20 %, 10 min$/)
  assert.match(await text('market-event delete 1 --world market-events'), /market event 1 is removed/)
  const fork = await json('world fork before-removal --at 2026-01-05T15:00:00Z --world market-events')
  assert.equal(fork.parent, 'market-events')
})

test('events are listed, and followed as they happen', async (t) => {
  const listed = await text('events --last 3')
  assert.match(listed, /^TIME \(UTC\) +KIND +ORDER OR ACCOUNT +NUMBER\n/)
  assert.equal(listed.trimEnd().split('\n').length, 4)
  const { id: earlier } = await json('order place buy KO 1 --limit 1')
  const line = ['events', '--follow', '--kind', 'orderAccepted', '--json', '--data', folder]
  const child = spawn(process.execPath, [program, ...line], {
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill())
  const awaited = [earlier]
  for await (const text of createInterface({ input: child.stdout })) {
    const { kind, order_id: id } = JSON.parse(text)
    assert.equal(kind, 'orderAccepted')
    if (id !== awaited.at(-1)) continue
    if (awaited.length === 2) break
    // The stream is open now, so it sends the next order live.
    awaited.push((await json('order place buy KO 1 --limit 1')).id)
  }
  assert.equal(awaited.length, 2)
})
