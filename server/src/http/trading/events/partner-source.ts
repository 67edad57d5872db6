import type { Account, AccountId } from '@quipu/core'
import type { World } from '../../../world/world.ts'
import type { Source } from '../../reading/follow.ts'
import { accountLine, type LineParts, type Telling, type Told } from './account-source.ts'

export type PartnerLineParts = Pick<LineParts, 'world' | 'from'> & {
  /** Whether the partner sees this account. */
  readonly owns: (account: Account) => boolean
  readonly tellingOf: (accountId: AccountId) => Telling
}

/** Messages given in one batch. */
const BATCH = 64

/** The messages of all accounts of a partner, those it opens later included, in the order of their events. */
export function partnerLine({ world, owns, tellingOf, from }: PartnerLineParts): Source<Told, string> {
  const lineOf = (accountId: AccountId) =>
    accountLine({ world, accountId, telling: tellingOf(accountId), from })
  return {
    placeOf: ({ id }) => id,
    after: '',
    past: (last) => merged(world, owns, (accountId) => lineOf(accountId).past(last)),
    listen: (heard) =>
      world.listen((events) =>
        heard(
          events.flatMap((committed) => {
            const account = committed.order && world.view.accounts.get(committed.order.accountId)
            return account && owns(account) ? tellingOf(account.id).tell(committed) : []
          }),
        ),
      ),
    attach: (carrier) => world.attach(carrier),
  }
}

type Past = ReturnType<Source<Told, string>['past']>

/**
 * The pasts of the accounts in one line. All end with the same event: what an account does while another is still
 * being read comes live, and must not be behind what was given.
 */
async function* merged(
  world: World,
  owns: PartnerLineParts['owns'],
  pastOf: (accountId: AccountId) => Past,
): AsyncGenerator<readonly Told[]> {
  const { seq: end } = world.view
  const heads: Head[] = []
  for (const account of [...world.view.accounts.values()].filter(owns)) {
    const head = await next({ rest: pastOf(account.id)[Symbol.asyncIterator](), told: [] })
    if (head) insert(heads, head)
  }
  let batch: Told[] = []
  for (let first = heads.shift(); first; first = heads.shift()) {
    const message = first.told.shift()!
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

/** What is left of the past of one account. */
type Head = { readonly rest: AsyncIterator<readonly Told[]>; readonly told: Told[] }

/** A past that has a next message; nothing where it is over. */
async function next(head: Head): Promise<Head | undefined> {
  while (head.told.length === 0) {
    const { done, value } = await head.rest.next()
    if (done) return undefined
    head.told.push(...value)
  }
  return head
}

/** Heads are sorted by their next message. */
function insert(heads: Head[], head: Head): void {
  const id = head.told[0]!.id
  let [low, high] = [0, heads.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (heads[middle]!.told[0]!.id < id) low = middle + 1
    else high = middle
  }
  heads.splice(low, 0, head)
}
