import type { AccountId, BrokerEvent, Command, Decision, Money, PartnerId, View } from '@quipu/core'
import { type BuiltinIssuer, builtinIssuers } from './builtin-issuers.ts'

/** As much of a world as is needed to furnish it. */
export type Furnishable = {
  readonly view: View
  submit(
    command: Command,
    look: (view: View, decision: Decision) => Decision,
  ): Promise<{ readonly value: Decision }>
}

const NO_CASH = 0n as Money

/** Gives a world the built-in issuers and lets accounts mint with them. What is there already stays as it is. */
export async function setUpIssuers(
  world: Furnishable,
  { partnerId, link }: { readonly partnerId: PartnerId; readonly link: readonly AccountId[] },
): Promise<void> {
  for (const issuer of builtinIssuers) {
    if (!world.view.issuers.has(issuer.code)) await register(world, issuer, partnerId)
    for (const accountId of link)
      await done(world, { kind: 'linkAccount', link: { accountId, issuer: issuer.code, kind: 'affiliated' } })
  }
}

/** Each issuer keeps the shares behind its tokens in an account of its own. */
async function register(world: Furnishable, issuer: BuiltinIssuer, partnerId: PartnerId): Promise<void> {
  const events = await done(world, { kind: 'openAccount', flavour: 'paper', partnerId, cash: NO_CASH })
  const opened = events.find((event) => event.kind === 'accountOpened')
  if (!opened) throw new Error('bug: an account was opened and nobody was told')
  await done(world, { kind: 'registerIssuer', ...issuer, accountId: opened.accountId })
}

async function done(world: Furnishable, command: Command): Promise<readonly BrokerEvent[]> {
  const { value: decision } = await world.submit(command, (_, decided) => decided)
  if (!decision.ok) throw new Error(`bug: ${command.kind} was refused: ${decision.reason.code}`)
  return decision.value
}
