import {
  type Body,
  type Broker,
  call,
  callAsOperator,
  newWorld,
  type Started,
  startBroker,
} from '../broker.ts'

export type Key = { readonly url: string; readonly keyId: string; readonly secretKey: string }
type Fields = Readonly<Record<string, unknown>>

/** Someone who is left alone by everyone who knows the manners, and by everyone else must not be seen. */
export type Victim = {
  readonly key: Key
  /** What strangers know of it, and try. */
  readonly known: Fields
  /** What nobody but its owner and the operator may ever be told. */
  readonly secrets: readonly string[]
}

export type Stage = {
  readonly broker: Broker
  /** Who tries it, by the name of the credential. */
  readonly hunter: Key
  /** The same one where time stands still: what it subscribes to never comes, and costs nobody anything. */
  readonly stillHunter: Key
  /** Of a world of its own, where it may do with every account as it likes. */
  readonly partner: Key
  readonly operator: Key
  /** What belongs to the hunter, so that much of what is sent gets as far as a handler. */
  readonly own: Fields
  /** The same for the partner. */
  readonly partnersOwn: Fields
  /** Another account of the hunter's world, one of another world, and one of main. */
  readonly victims: readonly Victim[]
  /** Two more, in the hunter's world and in another: they trade meanwhile, so that there is something to overhear. */
  readonly traders: readonly Key[]
  /** Whether a text tells something of a victim. */
  tellsOfVictims(text: string): boolean
}

const order = { symbol: 'AAPL', qty: '5', side: 'buy', time_in_force: 'gtc' }
const resting = { ...order, type: 'limit', limit_price: '1' }
const tokens = {
  underlying_symbol: 'AAPL',
  qty: '1',
  issuer: 'xstocks',
  network: 'ethereum',
  wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7',
}

/** What every secret text of a victim begins with. */
export const SECRET = 'nobody-else-sees'

export async function setStage(flags: readonly string[]): Promise<Stage> {
  const broker = await startBroker([...flags])
  const [hunted, kept, busy, lent] = [
    // What time takes of a victim by itself is left out: nothing is due at a close.
    await newWorld(broker, { world: 'hunted', accounts: 3, seed: 'hunted', fees: 'none' }),
    await newWorld(broker, { world: 'kept', seed: 'kept' }),
    await newWorld(broker, { world: 'busy', accounts: 2, seed: 'busy' }),
    await newWorld(broker, { world: 'lent', accounts: 2, seed: 'lent' }),
  ]
  const keysOf = (world: Body): Key[] =>
    world.created.accounts.map(({ key_id: keyId, secret_key: secretKey }: Body) => ({
      url: broker.url,
      keyId,
      secretKey,
    }))
  const [, neighbor, trader] = keysOf(hunted) as [Key, Key, Key]
  const victims = await Promise.all([
    victimOf(neighbor, 'hunted'),
    victimOf(kept, 'kept'),
    victimOf(broker, 'main'),
  ])
  const pattern = new RegExp([SECRET, ...victims.flatMap(({ secrets }) => secrets)].join('|'))
  return {
    broker,
    hunter: hunted,
    stillHunter: keysOf(busy)[1]!,
    partner: lent.partner,
    operator: { url: broker.url, keyId: broker.brokerKey, secretKey: broker.brokerSecret },
    own: { world: 'hunted', ...(await holdings(hunted, 'own')), ...hunted.created.oauth_client },
    partnersOwn: {
      ...lent.created.oauth_client,
      world: 'lent',
      account_id: lent.accountId,
      from_account: lent.accountId,
      to_account: lent.created.accounts[1].account_id,
    },
    victims,
    traders: [trader, busy],
    tellsOfVictims: (text) => pattern.test(text),
  }
}

async function made(key: Key, path: string, body: Fields): Promise<Body> {
  const answer = await call(key, 'POST', path, body)
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** A position, an order that rests and a mint, with names that are all known. */
async function holdings(key: Key, name: string): Promise<Fields> {
  const account = (await call(key, 'GET', '/v2/account')).body
  await made(key, '/v2/orders', { ...order, qty: '20', type: 'market', time_in_force: 'day' })
  const placed = await made(key, '/v2/orders', { ...resting, client_order_id: name })
  const minted = await made(key, '/v2/tokenization/mint', { ...tokens, client_request_id: name })
  return {
    account_id: account.id,
    order_id: placed.id,
    client_order_id: name,
    tokenization_request_id: minted.tokenization_request_id,
    client_request_id: name,
  }
}

/** Of each pair of names of a thing one is known and the other is secret: an answer to the known one would tell it. */
async function victimOf(key: Key, world: string): Promise<Victim> {
  const account = (await call(key, 'GET', '/v2/account')).body
  await made(key, '/v2/orders', { ...order, type: 'market', client_order_id: `${SECRET}-${world}-1` })
  const byId = await made(key, '/v2/orders', { ...resting, client_order_id: `${SECRET}-${world}-2` })
  const byName = await made(key, '/v2/orders', { ...resting, client_order_id: `theirs-${world}` })
  const mint = (client_request_id: string) =>
    made(key, '/v2/tokenization/mint', { ...tokens, client_request_id })
  const mintById = await mint(`${SECRET}-${world}-3`)
  const mintByName = await mint(`theirs-${world}`)
  return {
    key,
    known: {
      world,
      account_id: account.id,
      order_id: byId.id,
      client_order_id: `theirs-${world}`,
      tokenization_request_id: mintById.tokenization_request_id,
      client_request_id: `theirs-${world}`,
    },
    secrets: [account.account_number, byName.id, mintByName.tokenization_request_id],
  }
}

/** All of a victim's that a stranger could have changed; what time alone does to it is left out. */
export async function belongings({ key }: Victim): Promise<Body> {
  const paths = ['/v2/orders?status=all&limit=500', '/v2/tokenization/requests', '/v2/account']
  const [orders, mints, { cash, account_number: number }] = await Promise.all(
    paths.map(async (path) => (await call(key, 'GET', path)).body),
  )
  const lasting = orders.map(({ id, qty, status }: Body) => [id, qty, status === 'canceled'])
  return { number, cash, mints: mints.length, orders: lasting }
}

export const auditOf = async ({ broker }: Pick<Stage, 'broker'>, world: string): Promise<Body> =>
  (await callAsOperator(broker as Started, 'GET', `/sim/v1/worlds/${world}/audit`)).body
