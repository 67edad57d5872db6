import {
  type Body,
  type Broker,
  call,
  callAsOperator,
  newWorld,
  type Started,
  startBroker,
} from '../support/broker.ts'

export type Key = { readonly url: string; readonly keyId: string; readonly secretKey: string }
type Fields = Readonly<Record<string, unknown>>

/** An account that no other caller may read or change. */
export type Victim = {
  readonly key: Key
  /** Ids of the victim that attackers know and use in requests. */
  readonly known: Fields
  /** Values that only the owner and the operator may receive. */
  readonly secrets: readonly string[]
}

export type Setup = {
  readonly broker: Broker
  readonly attacker: Key
  /** An account of a world whose clock is frozen, so that its data streams cost nothing. */
  readonly idleAttacker: Key
  /** The partner key of another world, which may manage every account there. */
  readonly partner: Key
  readonly operator: Key
  /** Real ids of the attacker, so that many requests reach a handler. */
  readonly attackerFields: Fields
  /** Real ids of the partner. */
  readonly partnerFields: Fields
  /** Another account in the world of the attacker, one in another world, and one in main. */
  readonly victims: readonly Victim[]
  /** Accounts in the world of the attacker and in another world that trade during the test. */
  readonly traders: readonly Key[]
  /** Whether a text has a secret of a victim. */
  revealsVictims(text: string): boolean
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

/** The prefix of every secret text of a victim. */
export const SECRET = 'nobody-else-sees'

export async function startSetup(flags: readonly string[]): Promise<Setup> {
  const broker = await startBroker([...flags])
  const [attackerWorld, victimWorld, busyWorld, partnerWorld] = [
    // Without fees, time alone changes nothing for a victim.
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
  const [, neighbor, trader] = keysOf(attackerWorld) as [Key, Key, Key]
  const victims = await Promise.all([
    victimOf(neighbor, 'hunted'),
    victimOf(victimWorld, 'kept'),
    victimOf(broker, 'main'),
  ])
  const pattern = new RegExp([SECRET, ...victims.flatMap(({ secrets }) => secrets)].join('|'))
  return {
    broker,
    attacker: attackerWorld,
    idleAttacker: keysOf(busyWorld)[1]!,
    partner: partnerWorld.partner,
    operator: { url: broker.url, keyId: broker.brokerKey, secretKey: broker.brokerSecret },
    attackerFields: {
      world: 'hunted',
      ...(await holdings(attackerWorld, 'own')),
      ...attackerWorld.created.oauth_client,
    },
    partnerFields: {
      ...partnerWorld.created.oauth_client,
      world: 'lent',
      account_id: partnerWorld.accountId,
      from_account: partnerWorld.accountId,
      to_account: partnerWorld.created.accounts[1].account_id,
    },
    victims,
    traders: [trader, busyWorld],
    revealsVictims: (text) => pattern.test(text),
  }
}

async function create(key: Key, path: string, body: Fields): Promise<Body> {
  const response = await call(key, 'POST', path, body)
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${JSON.stringify(response.body)}`)
  return response.body
}

/** Creates a position, a resting order and a mint, and returns their ids. */
async function holdings(key: Key, name: string): Promise<Fields> {
  const account = (await call(key, 'GET', '/v2/account')).body
  await create(key, '/v2/orders', { ...order, qty: '20', type: 'market', time_in_force: 'day' })
  const placed = await create(key, '/v2/orders', { ...resting, client_order_id: name })
  const minted = await create(key, '/v2/tokenization/mint', { ...tokens, client_request_id: name })
  return {
    account_id: account.id,
    order_id: placed.id,
    client_order_id: name,
    tokenization_request_id: minted.tokenization_request_id,
    client_request_id: name,
  }
}

/** Each order and mint has one known and one secret id: a response to the known id would reveal the secret one. */
async function victimOf(key: Key, world: string): Promise<Victim> {
  const account = (await call(key, 'GET', '/v2/account')).body
  await create(key, '/v2/orders', { ...order, type: 'market', client_order_id: `${SECRET}-${world}-1` })
  const byId = await create(key, '/v2/orders', { ...resting, client_order_id: `${SECRET}-${world}-2` })
  const byName = await create(key, '/v2/orders', { ...resting, client_order_id: `theirs-${world}` })
  const mint = (client_request_id: string) =>
    create(key, '/v2/tokenization/mint', { ...tokens, client_request_id })
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

/** The state of a victim that an attacker could have changed and that does not change with time. */
export async function victimState({ key }: Victim): Promise<Body> {
  const paths = ['/v2/orders?status=all&limit=500', '/v2/tokenization/requests', '/v2/account']
  const [orders, mints, { cash, account_number: number }] = await Promise.all(
    paths.map(async (path) => (await call(key, 'GET', path)).body),
  )
  const orderStates = orders.map(({ id, qty, status }: Body) => [id, qty, status === 'canceled'])
  return { number, cash, mints: mints.length, orders: orderStates }
}

export const auditOf = async ({ broker }: Pick<Setup, 'broker'>, world: string): Promise<Body> =>
  (await callAsOperator(broker as Started, 'GET', `/sim/v1/worlds/${world}/audit`)).body
