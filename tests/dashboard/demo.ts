import { createClient, createQuipu } from '@quipu/sdk'
import {
  type DemoAct,
  demoPositions,
  demoTime,
  doDemoAct,
  playDemoDay,
} from '../../web/src/screens/first/demo-day.ts'
import { openStage } from './stage.ts'

/** A world with a story, for screenshots and for trying the dashboard: the same calls give the same world. */
export type Demo = { readonly world: string; readonly account: string }

const SEED = '7'

type Operator = { readonly url: string; readonly keyId: string; readonly secretKey: string }

/** Creates the world and plays it up to noon of the crash day. */
export async function makeDemo(operator: Operator, world = 'flash-crash'): Promise<Demo> {
  const created = await playDemoDay({
    world,
    client: createClient(operator),
    account: ({ accounts: [first] }) =>
      createQuipu({ url: operator.url, keyId: first!.key_id, secretKey: first!.secret_key }),
  })
  return { world, account: created.accounts[0]!.account_number }
}

let common: Promise<string> | undefined

/** A demo world that the specs of a process share. A spec may cancel an order of it, and changes nothing else. */
export function commonDemo(): Promise<string> {
  common ??= openStage()
    .then(({ broker: { url, brokerKey: keyId, brokerSecret: secretKey } }) =>
      makeDemo({ url, keyId, secretKey }),
    )
    .then(({ world }) => world)
  return common
}

/** What the same account does in a fork: it sells on the way down instead of buying. */
const stops = [
  { symbol: 'AAPL', qty: '70' },
  { symbol: 'SPY', qty: '15' },
  { symbol: 'NVDA', qty: '45' },
]

/** Forks the world before the crash and plays it to the same instant, to compare both. */
export async function makeFork(operator: Operator, parent: string, world = 'with-stops'): Promise<Demo> {
  const client = createClient(operator)
  const created = await client.forkWorld({
    params: { world: parent },
    body: { world, at: demoTime('10:20:00') },
  })
  const [first] = created.accounts
  const account = createQuipu({ url: operator.url, keyId: first!.key_id, secretKey: first!.secret_key })
  for (const { id } of await account.orders.list({ status: 'open' })) await account.orders.cancel(id)
  for (const { symbol, qty } of stops)
    await doDemoAct(account, {
      at: '',
      id: `stop-${symbol}`,
      order: { symbol, qty, side: 'sell' },
      stop: 0.985,
    } satisfies DemoAct)
  await client.advanceClock({ params: { world }, body: { to: demoTime('12:12:40') } })
  return { world, account: first!.account_number }
}

/** A world with mints in different states, and a redemption. */
export async function makeMints(operator: Operator, world = 'tokens'): Promise<Demo> {
  const client = createClient(operator)
  const params = { world }
  const created = await client.createWorld({
    body: { world, seed: SEED, start: demoTime('10:00:00'), hours: 'nyse' },
  })
  const { key_id: keyId, secret_key: secretKey, ...account } = created.accounts[0]!
  const { orders } = createQuipu({ url: operator.url, keyId, secretKey })
  const advance = (by: string) => client.advanceClock({ params, body: { by } })
  for (const order of demoPositions.slice(0, 4))
    await orders.place({ type: 'market', time_in_force: 'day', ...order } as never)
  await advance('1m')
  const token = { issuer: 'xstocks', network: 'base', account_id: account.account_id } as const
  const mint = (symbol: string, qty: string) =>
    client.createWorldMint({
      params,
      body: { ...token, underlying_symbol: symbol, qty, wallet_address: `0x${'5a'.repeat(20)}` },
    })
  await client.changeIssuer({ params: { world, issuer: 'xstocks' }, body: { delay_seconds: 40 } })
  for (const [symbol, qty] of [
    ['AAPL', '25'],
    ['SPY', '6'],
    ['NVDA', '12.5'],
  ] as const) {
    await mint(symbol, qty)
    await advance('7m')
  }
  await client.simulateRedemption({ params, body: { ...token, underlying_symbol: 'AAPL', qty: '4' } })
  const rejected = await mint('SPY', '2')
  const held = await mint('AAPL', '10')
  await advance('11s')
  const requestOf = ({ tokenization_request_id: id }: typeof held) => ({
    ...params,
    tokenization_request_id: id,
  })
  await client.rejectRequest({ params: requestOf(rejected), body: {} })
  await client.holdRequest({ params: requestOf(held) })
  await advance('4m')
  await mint('NVDA', '3')
  await advance('18s')
  return { world, account: account.account_number }
}

if (import.meta.main) {
  const [url = '', keyId = '', secretKey = ''] = process.argv.slice(2)
  const demo = await makeDemo({ url, keyId, secretKey })
  console.log(
    demo,
    await makeFork({ url, keyId, secretKey }, demo.world),
    await makeMints({ url, keyId, secretKey }),
  )
}
