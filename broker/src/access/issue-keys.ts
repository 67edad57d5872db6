import { randomBytes } from 'node:crypto'
import type {
  Account,
  AccountId,
  BrokerEvent,
  ClientId,
  Command,
  Decision,
  Flavour,
  IssueKey,
  KeyId,
  KeyOwner,
  Money,
  PartnerId,
  UserId,
} from '@quipu/core'
import { clientIdOf, definedFields, entryIn } from '@quipu/core'
import { setUpIssuers } from '../issuer/builtin.ts'
import type { World } from '../world/world.ts'
import { digestOf } from './credentials.ts'
import { newCredential } from './world-code.ts'

/** A key as its owner receives it. The secret is shown only here. */
export type KeyPair = { readonly keyId: string; readonly secretKey: string }

/** An app as its developer receives it. */
export type AppSecrets = {
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
}

export type SeededWorld = {
  readonly partnerId: PartnerId
  readonly partnerKey: KeyPair
  readonly accounts: readonly (KeyPair & { readonly account: Account })[]
  readonly app: AppSecrets
}

/** Creates the first partner of a world, its accounts with keys and built-in issuers, and a demo app. */
export async function seedWorld(
  world: World,
  { accounts, cash }: { readonly accounts: readonly Flavour[]; readonly cash: Money },
): Promise<SeededWorld> {
  const { partnerId } = await execute(world, { kind: 'addPartner', name: 'First partner' }, 'partnerAdded')
  const partnerKey = await issueKey(world, { kind: 'partner', partnerId, operator: false })
  const made = []
  for (const flavour of accounts) {
    const account = await openAccount(world, { flavour, partnerId, cash })
    made.push({ account, ...(await issueKey(world, { kind: 'account', accountId: account.id })) })
  }
  await setUpIssuers(world, { partnerId, link: made.map(({ account }) => account.id) })
  const app = newApp(world.access.code)
  await registerDemoApp(world, partnerId, app)
  return { partnerId, partnerKey, accounts: made, app }
}

/** Redirect URI of the demo app. Nothing listens there by default. */
export const DEMO_REDIRECT = 'http://localhost:8080/callback'

export const newApp = (code: string): AppSecrets => ({
  clientId: newClientId(code),
  clientSecret: randomBytes(20).toString('hex'),
  redirectUri: DEMO_REDIRECT,
})

export const newClientId = (code: string): ClientId => clientIdOf(newCredential(code, 'hex'))

export async function registerDemoApp(
  world: World,
  owner: PartnerId,
  { clientId, clientSecret, redirectUri }: AppSecrets,
  developer?: UserId,
): Promise<void> {
  await execute(
    world,
    {
      kind: 'registerApp',
      clientId: clientId as ClientId,
      owner,
      name: 'Demo app',
      description: 'An app to try the code flow with.',
      url: 'http://localhost:8080',
      termsOfUse: '',
      privacyPolicy: '',
      redirectUris: [redirectUri],
      scopes: ['account:write', 'trading', 'data'],
      liveTradingApproved: false,
      secret: digestOf(clientSecret),
      ...definedFields({ settings: developer && { developer } }),
    },
    'appRegistered',
  )
}

export async function openAccount(
  world: World,
  wanted: {
    readonly flavour: Flavour
    readonly partnerId: PartnerId
    readonly cash: Money
    readonly userId?: UserId
  },
): Promise<Account> {
  const { accountId } = await execute(world, { kind: 'openAccount', ...wanted }, 'accountOpened')
  return entryIn(world.view.accounts, accountId)
}

/** Issues a key. Id and secret are random unless `chosenPair` is set. */
export async function issueKey(
  world: World,
  owner: KeyOwner,
  chosenPair?: KeyPair,
  terms: Pick<IssueKey, 'publicKey' | 'expiresAt'> = {},
): Promise<KeyPair> {
  const pair = chosenPair ?? { keyId: newKeyId(world, owner), secretKey: newSecret() }
  const keyId = pair.keyId as KeyId
  const chosen = isRandomSecret(pair.secretKey) ? undefined : (true as const)
  await execute(
    world,
    {
      kind: 'issueKey',
      keyId,
      owner,
      digest: digestOf(pair.secretKey),
      ...definedFields({ chosen }),
      ...terms,
    },
    'keyIssued',
  )
  return pair
}

/** Issues a key for signed requests. Its random secret is discarded. */
export const issueSigningKey = async (
  world: World,
  owner: KeyOwner,
  terms: Pick<IssueKey, 'publicKey' | 'expiresAt'>,
): Promise<string> => (await issueKey(world, owner, undefined, terms)).keyId

export const newSecret = (): string => randomBytes(32).toString('base64url').slice(0, SECRET_LENGTH)

const SECRET_LENGTH = 40

/** Whether a secret is as hard to guess as one that Quipu generates. Any other counts as chosen by a person. */
const isRandomSecret = (secret: string): boolean =>
  secret.length >= SECRET_LENGTH && new Set(secret).size >= 16

/** Paper keys start with PK, live keys with AK, partner keys with CK, because clients of this protocol expect that. */
function newKeyId(world: World, owner: KeyOwner): string {
  const prefix = owner.kind === 'account' ? prefixOf(world, owner.accountId) : 'CK'
  return prefix + newCredential(world.access.code, 'keyId')
}

const prefixOf = (world: World, accountId: AccountId): string =>
  world.view.accounts.get(accountId)?.flavour === 'live' ? 'AK' : 'PK'

/** Submits a command that cannot be refused here, and returns its event of this kind. */
export async function execute<Kind extends BrokerEvent['kind']>(
  world: World,
  command: Command,
  kind: Kind,
): Promise<Extract<BrokerEvent, { kind: Kind }>> {
  const { value: decision } = await world.commands.submit<Decision>(command, (_, decided) => decided)
  if (!decision.ok) throw new Error(`bug: ${command.kind} was refused: ${decision.reason.code}`)
  return decision.value.find((event) => event.kind === kind) as Extract<BrokerEvent, { kind: Kind }>
}
