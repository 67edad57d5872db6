import type { World } from '@quipu/broker/world/world.ts'
import type { Account, AccountId } from '@quipu/core'
import { firstOf, itemAt, missing } from '@quipu/core/values'
import type { ReadingSource } from '../../reading/follow.ts'
import {
  type AccountSourceParts,
  accountSource,
  type EventFormat,
  type EventMessage,
} from './account-source.ts'

export type PartnerSourceParts = Pick<AccountSourceParts, 'world' | 'from'> & {
  /** Whether the partner sees this account. */
  readonly owns: (account: Account) => boolean
  readonly formatOf: (accountId: AccountId) => EventFormat
}

/** Messages per batch. */
const BATCH = 64

/** The messages of a partner's accounts, also of those opened later, in the order of their events. */
export function partnerSource({
  world,
  owns,
  formatOf,
  from,
}: PartnerSourceParts): ReadingSource<EventMessage, string> {
  const sourceOf = (accountId: AccountId) =>
    accountSource({ world, accountId, format: formatOf(accountId), from })
  return {
    positionOf: ({ id }) => id,
    after: '',
    past: (last) => merged(world, owns, (accountId) => sourceOf(accountId).past(last)),
    listen: (receive) =>
      world.publisher.listen((events) =>
        receive(
          events.flatMap((committed) => {
            const account = committed.order && world.view.accounts.get(committed.order.accountId)
            return account && owns(account) ? formatOf(account.id).messagesOf(committed) : []
          }),
        ),
      ),
    attach: (forwarder) => world.publisher.attach(forwarder),
  }
}

type Past = ReturnType<ReadingSource<EventMessage, string>['past']>

/**
 * The past messages of all accounts, merged in order. All end with the same event, because later events arrive through
 * `listen` and must come after these.
 */
async function* merged(
  world: World,
  owns: PartnerSourceParts['owns'],
  pastOf: (accountId: AccountId) => Past,
): AsyncGenerator<readonly EventMessage[]> {
  const { seq: end } = world.view
  const heads: Head[] = []
  for (const account of [...world.view.accounts.values()].filter(owns)) {
    const head = await next({ rest: pastOf(account.id)[Symbol.asyncIterator](), messages: [] })
    if (head) insert(heads, head)
  }
  let batch: EventMessage[] = []
  for (let first = heads.shift(); first; first = heads.shift()) {
    const message = first.messages.shift() ?? missing('a message')
    if (message.seq > end) continue
    batch.push(message)
    if (batch.length === BATCH) {
      yield batch
      batch = []
    }
    const head = await next(first)
    if (head) insert(heads, head)
  }
  yield batch
}

/** The unread past messages of one account. */
type Head = { readonly rest: AsyncIterator<readonly EventMessage[]>; readonly messages: EventMessage[] }

/** Reads until the head has a next message; undefined at the end. */
async function next(head: Head): Promise<Head | undefined> {
  while (head.messages.length === 0) {
    const { done, value } = await head.rest.next()
    if (done) return undefined
    head.messages.push(...value)
  }
  return head
}

/** Heads are sorted by their next message. */
function insert(heads: Head[], head: Head): void {
  const { id } = firstOf(head.messages)
  let [low, high] = [0, heads.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (firstOf(itemAt(heads, middle).messages).id < id) low = middle + 1
    else high = middle
  }
  heads.splice(low, 0, head)
}
