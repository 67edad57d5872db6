import { type Account, type AccountId, accountOf, type Command, type PartnerId, type View } from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import type { World } from '../../world/world.ts'
import type { Context } from '../context.ts'

/** Where a partner's request acts, for whom, and what it may see there. */
export type PartnerPlace = {
  readonly world: World
  /** Whose the accounts are that are opened here. */
  readonly partnerId: PartnerId
  /** Absent for an operator, who sees the accounts of all partners. */
  readonly sees?: PartnerId
}

/** The world of the credential; an operator may name another. To partners no other world exists. */
export function placeOf(
  context: Context,
  { 'x-quipu-world': name }: { readonly 'x-quipu-world'?: string | undefined },
): PartnerPlace {
  const { world: own, partnerId, operator } = context.partner
  const world = name === undefined || name === own.id ? own : context.services.worlds.get(name)
  if (!world || (world !== own && !operator)) throw refuse({ code: 'worldNotFound', world: name })
  context.world = world
  if (!operator) return { world, partnerId, sees: partnerId }
  const [first] = world.view.partners.keys()
  return { world, partnerId: world === own ? partnerId : (first ?? partnerId) }
}

/** Who asks, as commands name it. */
export const askedBy = ({ sees }: Pick<PartnerPlace, 'sees'>) =>
  sees === undefined ? {} : { partnerId: sees }

/** What became of an account by a command; refused as the core refuses. */
export async function changed(
  context: Context,
  { world }: Pick<PartnerPlace, 'world'>,
  command: Extract<Command, { readonly accountId: AccountId }>,
): Promise<Account> {
  const { decision, account } = await context.saw(
    world,
    world.submit(command, (view, decided) => ({
      decision: decided,
      account: view.accounts.get(command.accountId),
    })),
  )
  if (!decision.ok) throw refuse(decision.reason)
  if (!account) throw new Error(`bug: ${command.kind} went well on an account that is not there`)
  return account
}

/** Reads of an account that the caller may see. */
export async function readOf<Value>(
  context: Context,
  { world, sees }: PartnerPlace,
  id: string,
  look: (view: View, account: Account) => Value,
): Promise<Value> {
  const seen = await context.saw(
    world,
    world.read((view) => {
      const account = accountOf(view, id as AccountId, sees)
      return account && { value: look(view, account) }
    }),
  )
  if (!seen) throw refuse({ code: 'accountNotFound' })
  return seen.value
}
