import { hash, randomBytes, randomUUID } from 'node:crypto'
import { digestOf } from '@quipu/broker/access/credentials.ts'
import { execute } from '@quipu/broker/access/issue-keys.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { AccountId, ClientId, PartnerId, RegisterApp } from '@quipu/core'
import { definedFields, found } from '@quipu/core/values'

export const REDIRECT = 'http://localhost:8080/callback'

/** A registered app with its secret. */
export type TestApp = { readonly clientId: ClientId; readonly secret: string }

/** Registers an app of the first partner of the world, or of the partner in `patch`. */
export async function registerTestApp(world: World, patch: Partial<RegisterApp> = {}): Promise<TestApp> {
  const secret = randomBytes(20).toString('hex')
  const clientId = await register(world, { secret: digestOf(secret), ...patch })
  return { clientId, secret }
}

/** Registers a public app: an app without a secret. */
export async function registerPublicTestApp(
  world: World,
  settings: RegisterApp['settings'] = {},
): Promise<Pick<TestApp, 'clientId'>> {
  return { clientId: await register(world, { settings: { ...settings, isPublic: true } }) }
}

async function register(world: World, patch: Partial<RegisterApp>): Promise<ClientId> {
  const [owner] = world.view.partners.keys() as MapIterator<PartnerId>
  const clientId = randomBytes(16).toString('hex') as ClientId
  const command: RegisterApp = {
    kind: 'registerApp',
    clientId,
    owner: owner!,
    name: 'Trading app',
    description: 'It trades.',
    url: 'https://app.example',
    termsOfUse: '',
    privacyPolicy: '',
    redirectUris: [REDIRECT],
    scopes: ['account:write', 'trading', 'data'],
    liveTradingApproved: false,
    ...patch,
  }
  await execute(world, command, 'appRegistered')
  return clientId
}

/** Issues a code that a partner requests for an account. */
export async function issueTestCode(
  world: World,
  { clientId, secret }: TestApp,
  accountId: AccountId,
  { scope = 'trading', challenge }: { readonly scope?: string; readonly challenge?: string } = {},
): Promise<string> {
  const code = randomUUID()
  const command = {
    kind: 'authorizeApp',
    partnerId: found(world.view.accounts.get(accountId), accountId).partnerId,
    clientId,
    secret: digestOf(secret),
    redirectUri: REDIRECT,
    scope,
    accountId,
    ...definedFields({ challenge }),
    code: digestOf(code),
  } as const
  await execute(world, command, 'codeIssued')
  return code
}

/** Issues a token that a partner requests for an account, without a code. */
export async function issueTestToken(
  world: World,
  { clientId, secret }: TestApp,
  accountId: AccountId,
  scope: string,
): Promise<string> {
  const token = randomUUID()
  const command = {
    kind: 'issueToken',
    partnerId: found(world.view.accounts.get(accountId), accountId).partnerId,
    clientId,
    secret: digestOf(secret),
    redirectUri: REDIRECT,
    scope,
    accountId,
    token: digestOf(token),
  } as const
  await execute(world, command, 'tokenIssued')
  return token
}

/** A PKCE verifier and its challenge. */
export function testProof(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: hash('sha256', verifier, 'base64url') }
}

/** Adds a user who owns the account, and issues a code with the consent of the user. */
export async function consentTestCode(
  world: World,
  { clientId }: Pick<TestApp, 'clientId'>,
  accountId: AccountId,
  { scope = 'trading', challenge }: { readonly scope?: string; readonly challenge?: string } = {},
): Promise<string> {
  const name = `user-${randomBytes(4).toString('hex')}`
  const { userId } = await execute(world, { kind: 'addUser', name, password: 'none' }, 'userAdded')
  await execute(world, { kind: 'assignAccount', accountId, userId }, 'accountAssigned')
  const code = randomUUID()
  const command = {
    kind: 'consent',
    userId,
    clientId,
    redirectUri: REDIRECT,
    scope,
    [found(world.view.accounts.get(accountId), accountId).flavour]: accountId,
    ...definedFields({ challenge }),
    code: digestOf(code),
  } as const
  await execute(world, command, 'codeIssued')
  return code
}
