import { readsAllWorlds } from '@quipu/broker/access/caller.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { type Account, type AccountId, accountOf, type Command, type PartnerId, type View } from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import { type HandlersWith, type OperationsWith, withAdded } from '../added-input.ts'
import type { Context } from '../context.ts'

/** The world that a partner or operator asks about, and the accounts that this caller may read and change. */
export type PartnerAccess = {
  readonly world: World
  /** The partner of accounts that this request opens. */
  readonly partnerId: PartnerId
  /** Only accounts of this partner; absent for an operator or auditor, who sees the accounts of all partners. */
  readonly limitedTo?: PartnerId
}

/** The world of the credential, or the world that an operator or auditor names; a partner that names another gets 404. */
export function accessOf(
  context: Context,
  { 'x-quipu-world': name }: { readonly 'x-quipu-world'?: string | undefined },
): PartnerAccess {
  const { world: own, partnerId } = context.partner
  const isWide = readsAllWorlds(context.partner)
  const world = name === undefined || name === own.id ? own : context.services.worlds.get(name)
  if (!world || (world !== own && !isWide)) throw refuse({ code: 'worldNotFound', world: name })
  context.state.world = world
  if (!isWide) return { world, partnerId, limitedTo: partnerId }
  const [first] = world.view.partners.keys()
  return { world, partnerId: world.view.partners.has(partnerId) ? partnerId : (first ?? partnerId) }
}

type PartnerOperation = OperationsWith<{
  readonly headers: { readonly 'x-quipu-world'?: string | undefined }
}>

/** Handlers of operations of partners and operators: their input has the access of the caller. */
export const withAccess = <const Names extends PartnerOperation>(
  handlers: HandlersWith<{ readonly access: PartnerAccess }, Names>,
) => withAdded(handlers, ({ headers }, context) => ({ access: accessOf(context, headers) }))

/** The partner that sends the command; an operator is not named. */
export const partnerCaller = ({ limitedTo }: Pick<PartnerAccess, 'limitedTo'>) =>
  limitedTo === undefined ? {} : { partnerId: limitedTo }

/** Submits a command and returns the changed account; throws the refusal of the core. */
export async function changeAccount(
  context: Context,
  { world }: Pick<PartnerAccess, 'world'>,
  command: Extract<Command, { readonly accountId: AccountId }>,
): Promise<Account> {
  const account = await context.state.execute(world, command, (view) => view.accounts.get(command.accountId))
  if (!account) throw new Error(`bug: ${command.kind} succeeded on an account that does not exist`)
  return account
}

/** Reads an account that the caller may use; another account is refused as not found. */
export async function readAccount<Value>(
  context: Context,
  { world, limitedTo }: PartnerAccess,
  id: string,
  read: (view: View, account: Account) => Value,
): Promise<Value> {
  const found = await context.state.read(world, (view) => {
    const account = accountOf(view, id as AccountId, limitedTo)
    return account && { value: read(view, account) }
  })
  if (!found) throw refuse({ code: 'accountNotFound' })
  return found.value
}
