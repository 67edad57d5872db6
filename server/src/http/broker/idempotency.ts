import { hash } from 'node:crypto'
import {
  type Decision,
  earlierAccount,
  earlierCall,
  found,
  type JournalBetween,
  type KeyedCall,
  type OpenAccount,
  type PartnerId,
  type Refusal,
  type RequestMint,
  type TransferMoney,
  type View,
} from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import type { PartnerPlace } from './partner-place.ts'

/** The contract lets no key in that is longer than any setting. */
export function checkKey({ services: { limits } }: Context, key = ''): void {
  const { idempotencyKeyMax: max } = limits
  if (key.length > max) throw refuse({ code: 'idempotencyKeyTooLong', max })
}

/** The same fields with the same values, in whatever order they came. */
export const hashOf = (body: object): string =>
  hash('sha256', JSON.stringify(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1))), 'hex')

/** Compares bodies as they arrived: a field that nobody reads makes another body too. */
export const keyedBy = ({ body }: Context, key: string | undefined): Pick<RequestMint, 'idempotency'> =>
  key === undefined ? {} : { idempotency: { key, bodyHash: hashOf(body as object) } }

type Command = TransferMoney | JournalBetween | OpenAccount
type Led = KeyedCall['led']
type Taken<Value> =
  | { readonly ok: false; readonly reason: Refusal }
  | { readonly ok: true; readonly isReplay: boolean; readonly value: Value }

/** A key, whose it is, and what it stands for: what is done, to what, and all that was said with it. */
export type KeyOfCall = {
  readonly key: string | undefined
  readonly partnerId: PartnerId | undefined
  readonly operation: string
  readonly body: object
}

/**
 * Has a partner's command decided, which under an idempotency key is done once, and looks at what it led to, now or
 * before. What memory has let go under the key comes along from the views.
 */
export async function doneOnce<Value>(
  context: Context,
  { world }: PartnerPlace,
  command: Command,
  { key, partnerId, operation, body }: KeyOfCall,
  look: (led: Led, view: View) => Value,
): Promise<Value> {
  checkKey(context, key)
  const bodyHash = hashOf({ operation, body: hashOf(body) })
  const asked = key === undefined ? command : { ...command, idempotency: { key, bodyHash } }
  const take = (known?: KeyedCall): Promise<Taken<Value>> => {
    const complete = known ? { ...asked, earlier: known } : asked
    return context.saw(
      world,
      world.submit(complete, (view, decision) => {
        if (!decision.ok) return decision
        const isReplay = decision.value.length === 0
        return { ok: true, isReplay, value: look(ledTo(view, complete, decision), view) }
      }),
    )
  }
  // Without an account there is no partner to ask for, and the command is refused.
  const taken =
    key === undefined || partnerId === undefined
      ? await take()
      : await world.withArchived((views) => views.callByKey(partnerId, key), take)
  if (!taken.ok) throw refuse(taken.reason)
  if (taken.isReplay && key !== undefined) context.header('Idempotent-Replayed', 'true')
  return taken.value
}

function ledTo(view: View, command: Command, { value }: Extract<Decision, { ok: true }>): Led {
  const [event] = value
  switch (event?.kind) {
    case 'transferBooked':
      return { kind: 'transfer', transfer: event.transfer }
    case 'journalBooked':
      return { kind: 'journal', journal: event.journal }
    case 'accountOpened':
      return { kind: 'account', accountId: event.accountId }
    default:
      return earlierOf(view, command)
  }
}

function earlierOf(view: View, command: Command): Led {
  const partnerId =
    command.kind === 'openAccount'
      ? command.partnerId
      : view.accounts.get(command.kind === 'transferMoney' ? command.accountId : command.from)?.partnerId
  const call = earlierCall(view, found(partnerId, 'the partner'), command)
  if (call) return call.led
  const account = command.kind === 'openAccount' ? earlierAccount(view, command) : undefined
  return { kind: 'account', accountId: found(account, 'the earlier account').id }
}
