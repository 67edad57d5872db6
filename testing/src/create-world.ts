import { type Client, createClient, NetworkError, NotFoundError } from '@quipu/sdk'
import { unacknowledgedFills } from './fills.ts'
import type {
  AccountKey,
  Advance,
  OperatorKey,
  World,
  WorldEvent,
  WorldOptions,
  WorldOrder,
} from './types.ts'

const DEFAULT_SEED = 'quipu'
const ORDERS_PAGE = 500
const YEAR_MS = 365 * 86_400_000

/** Creates a world on a server and returns its keys and functions. */
export async function createWorld(key: OperatorKey, options: WorldOptions): Promise<World> {
  const operator = createClient(key)
  return worldOf(key, operator, await create(operator, options))
}

/** Creates a world from a saved one. */
export async function loadWorld(key: OperatorKey, file: Uint8Array): Promise<World> {
  const operator = createClient(key)
  return worldOf(key, operator, await operator.loadWorld({ body: file }))
}

type Created = Awaited<ReturnType<Client['createWorld']>>

function worldOf(key: OperatorKey, operator: Client, created: Created): World {
  const accounts = created.accounts.map(
    ({ account_id, key_id, secret_key }): AccountKey => ({
      url: key.url,
      accountId: account_id,
      keyId: key_id,
      secretKey: secret_key,
    }),
  )
  const partner = { keyId: created.partner.key_id, secretKey: created.partner.secret_key }
  const parts: Parts = {
    operator,
    partner: createClient({ url: key.url, ...partner }),
    params: { world: created.world },
    account: accounts[0]!,
  }
  return {
    ...parts.account,
    name: created.world,
    seed: created.seed,
    accounts,
    partner,
    ...clockOf(parts),
    ...readingOf(parts),
  }
}

function create(operator: Client, { scenario, ...options }: WorldOptions) {
  if (scenario === undefined) return operator.createWorld({ body: bodyOf(options) })
  const { seed, ...others } = options
  const [other] = Object.keys(others)
  if (other !== undefined) throw new Error(`${other} cannot be combined with scenario`)
  return operator.createScenarioWorld({ body: { name: scenario, ...(seed !== undefined && { seed }) } })
}

type NewWorld = NonNullable<NonNullable<Parameters<Client['createWorld']>[0]>['body']>

function bodyOf({ seed, clock, cash, marketEvents, fillSize, ...same }: WorldOptions): NewWorld {
  const fields = {
    ...same,
    seed: seed ?? DEFAULT_SEED,
    start: clock && instant(clock),
    cash: cash === undefined ? undefined : String(cash),
    market_events: marketEvents,
    fill_size: fillSize,
  }
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as unknown as NewWorld
}

const instant = (value: string | Date): string => (typeof value === 'string' ? value : value.toISOString())

type Parts = {
  readonly operator: Client
  readonly partner: Client
  readonly params: { readonly world: string }
  readonly account: AccountKey
}

type ClockFunctions = Pick<World, 'now' | 'advance' | 'run' | 'freeze' | 'each'>

function clockOf({ operator, params }: Parts): ClockFunctions {
  const now = async () => new Date((await operator.getWorldClock({ params })).now)
  const advance: World['advance'] = async (by) => {
    const moved = await operator.advanceClock({ params, body: moveOf(by) })
    const { events, orders_ended: ordersEnded, reached } = moved
    return { now: new Date(moved.now), events, ordersEnded, reached }
  }
  return {
    now,
    advance,
    async run(speed) {
      await operator.runClock({ params, body: { speed: String(speed) } })
    },
    async freeze() {
      await operator.freezeClock({ params })
    },
    async each(step, fn, { until, steps = Number.POSITIVE_INFINITY } = {}) {
      let at = await now()
      const isUnbounded = until === undefined && steps === Number.POSITIVE_INFINITY
      const last = isUnbounded ? new Date(at.getTime() + YEAR_MS) : until && new Date(until)
      for (let index = 0; index < steps && (!last || at < last); index += 1) {
        if ((await fn({ now: at, index })) === false) return
        at = (await advance(step)).now
      }
    },
  }
}

function moveOf(by: Advance) {
  if (typeof by === 'string') return { by }
  return 'to' in by ? { to: instant(by.to) } : by
}

type NewFaultBody = Parameters<Client['createFault']>[0]['body']

type ReadingFunctions = Omit<
  World,
  keyof ClockFunctions | keyof AccountKey | 'name' | 'seed' | 'accounts' | 'partner'
>

function readingOf({ operator, partner, params, account }: Parts): ReadingFunctions {
  const close = async () => {
    await operator.deleteWorld({ params }).catch(unlessMissing)
  }
  return {
    fault: (rule) => operator.createFault({ params, body: rule as unknown as NewFaultBody }),
    faults: () => operator.listFaults({ params }),
    deleteFaults: () => operator.deleteFaults({ params }),
    orders: (accountId = account.accountId) => allOrders(operator, params, accountId),
    async position(symbol, accountId = account.accountId) {
      const positions = await partner.listPositionsForAccount({ params: { account_id: accountId } })
      return positions.find((position) => position.symbol === symbol)?.qty ?? '0'
    },
    cash: async (accountId = account.accountId) =>
      (await partner.getAccountForAccount({ params: { account_id: accountId } })).cash,
    async events(last = 10) {
      const { events } = await operator.listEvents({ params, query: { last, limit: last } })
      return events as readonly WorldEvent[]
    },
    unacknowledgedFills: (accountId = account.accountId) =>
      unacknowledgedFills(operator, params.world, accountId),
    journalHash: async () => (await operator.getJournalHead({ params })).hash,
    signInLink: (name) => signInLink(operator, { ...params, user: name }, account),
    async reset() {
      await operator.resetWorld({ params })
    },
    save: () => operator.saveWorld({ params }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

type UserParams = { readonly world: string; readonly user: string }

async function signInLink(operator: Client, params: UserParams, { accountId }: AccountKey): Promise<string> {
  const { world, user: name } = params
  const link = async () => (await operator.createSignInLink({ params, body: {} })).url
  return link().catch(async (error) => {
    if (!(error instanceof NotFoundError)) throw error
    await operator.createUser({ params: { world }, body: { name, account_ids: [accountId] } })
    return link()
  })
}

/** A world may be closed twice, or its broker may be closed before. */
function unlessMissing(error: unknown): void {
  if (!(error instanceof NotFoundError || error instanceof NetworkError)) throw error
}

async function allOrders(
  operator: Client,
  params: { readonly world: string },
  account_id: string,
): Promise<readonly WorldOrder[]> {
  const orders: WorldOrder[] = []
  for (;;) {
    const last = orders.at(-1)
    const query = {
      account_id,
      status: 'all',
      limit: ORDERS_PAGE,
      ...(last && { before_order_id: last.id }),
    } as const
    const page = await operator.listWorldOrders({ params, query })
    orders.push(...(page as unknown as readonly WorldOrder[]))
    if (page.length < ORDERS_PAGE) return orders
  }
}
