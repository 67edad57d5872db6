import type { ExpectedNumber } from '@quipu/contract'
import type { Client } from '@quipu/sdk'
import type { ParsedScenario } from '@quipu/server/scenarios/scenario-file.ts'
import { type JournalReading, orderKey, readJournal } from './journal.ts'

type Expectation = NonNullable<ParsedScenario['expect']>
type ExpectedAccount = NonNullable<Expectation['accounts']>[string]

/** An expectation that does not hold. */
export type Failure = { readonly field: string; readonly expected: string; readonly received: string }

/** The world that is checked. */
export type CheckedScenario = {
  readonly operator: Client
  readonly world: string
  /** Account ids by name. */
  readonly accounts: ReadonlyMap<string, string>
  /** Trade updates that the streams of the scenario received, by account name and event. */
  readonly updates: ReadonlyMap<string, ReadonlyMap<string, number>>
}

/** Compares the world with an expectation. `path` names the expectation in the file. */
export async function check(
  checked: CheckedScenario,
  expected: Expectation,
  path: string,
): Promise<readonly Failure[]> {
  const { operator, world } = checked
  const failures: Failure[] = []
  const journal = await readJournal(operator, world)
  for (const [name, account] of Object.entries(expected.accounts ?? {}))
    failures.push(...(await checkAccount(checked, journal, name, account, `${path}.accounts.${name}`)))
  const counts = countBy(journal.events.map(({ kind }) => kind))
  for (const [kind, count] of Object.entries(expected.events ?? {}))
    failures.push(...compare(`${path}.events.${kind}`, count, counts.get(kind) ?? 0))
  failures.push(...(await checkFaults(checked, expected, path)))
  const { journal_hash: hash, seq } = expected
  if (hash !== undefined || seq !== undefined) {
    const head = await operator.getJournalHead({ params: { world } })
    if (hash !== undefined && head.hash !== hash)
      failures.push({ field: `${path}.journal_hash`, expected: hash, received: head.hash })
    if (seq !== undefined && head.seq !== seq)
      failures.push({ field: `${path}.seq`, expected: String(seq), received: String(head.seq) })
  }
  return failures
}

async function checkFaults(
  { operator, world }: CheckedScenario,
  { faults: expected }: Expectation,
  path: string,
): Promise<readonly Failure[]> {
  if (!expected) return []
  const rules = await operator.listFaults({ params: { world } })
  return expected.flatMap((count, index) =>
    compare(`${path}.faults[${index}]`, count, rules[index]?.consumed ?? 0),
  )
}

/** Compares a world with what its scenario expects at the end, after any program. */
export async function checkEnd(
  operator: Client,
  world: string,
  { accounts: names, expect }: ParsedScenario,
): Promise<readonly Failure[]> {
  const { accounts } = await operator.getWorld({ params: { world } })
  const ids = new Map(names.map((name, index) => [name, accounts[index]!.account_id]))
  const checked: CheckedScenario = { operator, world, accounts: ids, updates: new Map() }
  const failures = expect ? await check(checked, expect, 'expect') : []
  return [...failures, ...(await checkLedger(checked))]
}

/** Every balance must be the sum of its postings, whatever the scenario expects. */
export async function checkLedger({ operator, world }: CheckedScenario): Promise<readonly Failure[]> {
  const { sound, problems } = await operator.readAudit({ params: { world } })
  return sound ? [] : [{ field: 'ledger', expected: 'a sound ledger', received: problems.join('; ') }]
}

async function checkAccount(
  checked: CheckedScenario,
  journal: JournalReading,
  name: string,
  expected: ExpectedAccount,
  path: string,
): Promise<readonly Failure[]> {
  const accountId = checked.accounts.get(name)!
  const updates = checked.updates.get(name) ?? new Map<string, number>()
  return [
    ...(await checkBalances(checked, accountId, expected, path)),
    ...(await checkPositions(checked, accountId, expected, path)),
    ...(await checkOrders(checked, journal, accountId, expected, path)),
    ...(await checkRequests(checked, accountId, expected, path)),
    ...Object.entries(expected.updates ?? {}).flatMap(([event, count]) =>
      compare(`${path}.updates.${event}`, count, updates.get(event) ?? 0),
    ),
  ]
}

const inWorld = ({ world }: CheckedScenario) => ({ 'x-quipu-world': world })

async function checkBalances(
  checked: CheckedScenario,
  accountId: string,
  expected: ExpectedAccount,
  path: string,
): Promise<readonly Failure[]> {
  const fields = (['cash', 'equity', 'buying_power'] as const).filter((field) => expected[field])
  if (fields.length === 0) return []
  const params = { account_id: accountId }
  const account = await checked.operator.getAccountForAccount({ params, headers: inWorld(checked) })
  return fields.flatMap((field) => compare(`${path}.${field}`, expected[field]!, account[field] ?? 0))
}

async function checkPositions(
  checked: CheckedScenario,
  accountId: string,
  { positions: expected }: ExpectedAccount,
  path: string,
): Promise<readonly Failure[]> {
  if (!expected) return []
  const params = { account_id: accountId }
  const positions = await checked.operator.listPositionsForAccount({ params, headers: inWorld(checked) })
  const held = new Map(positions.map(({ symbol, qty }) => [symbol, qty]))
  const others = [...held.keys()].filter((symbol) => !Object.hasOwn(expected, symbol))
  return [
    ...Object.entries(expected).flatMap(([symbol, qty]) =>
      compare(`${path}.positions.${symbol}`, qty, held.get(symbol) ?? 0),
    ),
    ...others.map((symbol) => ({
      field: `${path}.positions.${symbol}`,
      expected: 'no position',
      received: held.get(symbol)!,
    })),
  ]
}

async function checkOrders(
  checked: CheckedScenario,
  { orderIds, events }: JournalReading,
  accountId: string,
  { orders = {}, order_count: count }: ExpectedAccount,
  path: string,
): Promise<readonly Failure[]> {
  const failures: Failure[] = []
  for (const [name, expected] of Object.entries(orders)) {
    const field = `${path}.orders.${name}`
    const id = orderIds.get(orderKey(accountId, name))
    if (id === undefined) {
      failures.push({ field, expected: 'an order with this client order id', received: 'none' })
      continue
    }
    const params = { world: checked.world, order_id: id }
    const order = await checked.operator.getWorldOrder({ params })
    const { status, ...numbers } = expected
    if (status !== undefined && !status.split('|').some((one) => one.trim() === order.status))
      failures.push({ field: `${field}.status`, expected: status, received: order.status })
    for (const [part, number] of Object.entries(numbers) as [keyof typeof numbers, ExpectedNumber][])
      failures.push(...compare(`${field}.${part}`, number, order[part] ?? 0))
  }
  const placed = events.filter(({ kind, account_id }) => kind === 'orderAccepted' && account_id === accountId)
  return count ? [...failures, ...compare(`${path}.order_count`, count, placed.length)] : failures
}

async function checkRequests(
  checked: CheckedScenario,
  accountId: string,
  { requests: expected }: ExpectedAccount,
  path: string,
): Promise<readonly Failure[]> {
  if (!expected) return []
  const query = { status: 'all', limit: 10_000 } as const
  const all = await checked.operator.listWorldTokenizationRequests({
    params: { world: checked.world },
    query,
  })
  return Object.entries(expected).flatMap(([name, status]) => {
    const found = all.find((one) => one.account_id === accountId && one.client_request_id === name)
    const received = found?.status ?? 'no request'
    return received === status ? [] : [{ field: `${path}.requests.${name}`, expected: status, received }]
  })
}

/** A failure if a number is outside its bounds. Compared as numbers: amounts of a scenario fit a double. */
function compare(field: string, { min, max }: ExpectedNumber, received: string | number): readonly Failure[] {
  const value = Number(received)
  const isWithin = (min === undefined || value >= Number(min)) && (max === undefined || value <= Number(max))
  if (isWithin) return []
  const expected =
    min === max ? String(min) : [min && `at least ${min}`, max && `at most ${max}`].filter(Boolean).join(', ')
  return [{ field, expected, received: String(received) }]
}

function countBy(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
