import type { AccountId, BrokerEvent, Command, Decision, Money, PartnerId, View } from '@quipu/core'
import { type BuiltinIssuer, builtinIssuers } from './builtin-issuers.ts'

/** The parts of a world that are needed to set up issuers. */
export type IssuerSetupWorld = {
  readonly view: View
  submit(
    command: Command,
    look: (view: View, decision: Decision) => Decision,
  ): Promise<{ readonly value: Decision }>
}

const NO_CASH = 0n as Money

/** Adds the built-in issuers to a world and links accounts to them. Existing ones are unchanged. */
export async function setUpIssuers(
  world: IssuerSetupWorld,
  { partnerId, link }: { readonly partnerId: PartnerId; readonly link: readonly AccountId[] },
): Promise<void> {
  for (const issuer of builtinIssuers) {
    if (!world.view.issuers.has(issuer.code)) await register(world, issuer, partnerId)
    for (const accountId of link)
      await submitCommand(world, {
        kind: 'linkAccount',
        link: { accountId, issuer: issuer.code, kind: 'affiliated' },
      })
  }
}

/** Each issuer holds the shares behind its tokens in a separate account. */
async function register(world: IssuerSetupWorld, issuer: BuiltinIssuer, partnerId: PartnerId): Promise<void> {
  const events = await submitCommand(world, {
    kind: 'openAccount',
    flavour: 'paper',
    partnerId,
    cash: NO_CASH,
  })
  const opened = events.find((event) => event.kind === 'accountOpened')
  if (!opened) throw new Error('bug: an account was opened without an event')
  await submitCommand(world, { kind: 'registerIssuer', ...issuer, accountId: opened.accountId })
}

async function submitCommand(world: IssuerSetupWorld, command: Command): Promise<readonly BrokerEvent[]> {
  const { value: decision } = await world.submit(command, (_, decided) => decided)
  if (!decision.ok) throw new Error(`bug: ${command.kind} was refused: ${decision.reason.code}`)
  return decision.value
}
