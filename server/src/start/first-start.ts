import { isDeepStrictEqual } from 'node:util'
import { digestOf } from '@quipu/broker/access/credentials.ts'
import {
  execute,
  issueKey,
  newApp,
  newSecret,
  openAccount,
  registerDemoApp,
} from '@quipu/broker/access/issue-keys.ts'
import { hashGeneratedPassword } from '@quipu/broker/access/password.ts'
import { codeOfKeyId, MAIN_CODE, newCredential } from '@quipu/broker/access/world-code.ts'
import {
  type OwnerCredentials,
  readCredentials,
  writeCredentials,
} from '@quipu/broker/data-folder/owner-file.ts'
import { setUpIssuers } from '@quipu/broker/issuer/builtin.ts'
import type { DurableRecord } from '@quipu/broker/registry/durable-storage.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { AccountId, Flavour, KeyOwner, Money, PartnerId, UserId } from '@quipu/core'
import { definedFields, hasId, lookUp } from '@quipu/core/values'
import { type Config, ConfigError } from '../config/config.ts'

/** The complete credentials, as in the owner's file after the first start. */
export type FirstCredentials = Required<OwnerCredentials>

/** Generates all credentials, so that they can be written to the owner's file before they are used. */
function newCredentials(known: OwnerCredentials): Omit<FirstCredentials, 'accountId'> {
  const app = newApp(MAIN_CODE)
  return {
    keyId: known.keyId ?? `PK${newCredential(MAIN_CODE, 'keyId')}`,
    secretKey: known.secretKey ?? newSecret(),
    brokerKey: known.brokerKey ?? `CK${newCredential(MAIN_CODE, 'keyId')}`,
    brokerSecret: known.brokerSecret ?? newSecret(),
    oauthClientId: known.oauthClientId ?? app.clientId,
    oauthClientSecret: known.oauthClientSecret ?? app.clientSecret,
    oauthRedirectUri: known.oauthRedirectUri ?? app.redirectUri,
    userName: known.userName ?? 'owner',
    userPassword: known.userPassword ?? newSecret().slice(0, 20),
  }
}

/** A first start is complete when its last step, the demo app, exists, or when the owner's file names its account. */
const isBootstrapped = ({ view }: World, accountId: string | undefined): boolean =>
  view.apps.size > 0 || hasId(view.accounts, accountId)

/**
 * Creates the seed data of `main`: a partner and a user, both operators, a paper and a live account, a trading key, the
 * built-in issuers with the paper account linked, and a demo app. Each step checks first whether it was done, so the
 * next start completes an interrupted one.
 */
export async function firstStart(
  world: World,
  credentials: Omit<FirstCredentials, 'accountId'>,
  cash: Money,
): Promise<FirstCredentials> {
  const partnerId = await firstPartner(world)
  await ensureKey(world, credentials.brokerKey, credentials.brokerSecret, { partnerId })
  const userId = await firstUser(world, credentials)
  const paper = await firstAccount(world, 'paper', { partnerId, userId, cash })
  await firstAccount(world, 'live', { partnerId, userId, cash })
  await ensureKey(world, credentials.keyId, credentials.secretKey, { accountId: paper })
  await setUpIssuers(world, { partnerId, link: [paper] })
  const app = {
    clientId: credentials.oauthClientId,
    clientSecret: credentials.oauthClientSecret,
    redirectUri: credentials.oauthRedirectUri,
  }
  await registerDemoApp(world, partnerId, app, userId)
  return { ...credentials, accountId: paper }
}

/** Adds a configured key if it is new. Returns whether it was. */
async function ensureKey(
  world: World,
  keyId: string,
  secretKey: string,
  target: { readonly partnerId: PartnerId } | { readonly accountId: AccountId },
): Promise<boolean> {
  if (hasId(world.view.keys, keyId)) return false
  const owner =
    'partnerId' in target
      ? ({ kind: 'partner', partnerId: target.partnerId, operator: true } as const)
      : ({ kind: 'account', accountId: target.accountId } as const)
  await issueKey(world, owner, { keyId, secretKey })
  return true
}

async function firstPartner(world: World): Promise<PartnerId> {
  const [known] = world.view.partners.keys()
  return known ?? (await execute(world, { kind: 'addPartner', name: 'Owner' }, 'partnerAdded')).partnerId
}

async function firstUser(
  world: World,
  { userName, userPassword }: Pick<FirstCredentials, 'userName' | 'userPassword'>,
): Promise<UserId> {
  const [known] = world.view.users.keys()
  if (known) return known
  const password = hashGeneratedPassword(userPassword)
  const command = { kind: 'addUser', name: userName, password, operator: true } as const
  return (await execute(world, command, 'userAdded')).userId
}

async function firstAccount(
  world: World,
  flavour: Flavour,
  of: { readonly partnerId: PartnerId; readonly userId: UserId; readonly cash: Money },
): Promise<AccountId> {
  for (const account of world.view.accounts.values())
    if (account.flavour === flavour && account.userId === of.userId) return account.id
  return (await openAccount(world, { flavour, ...of })).id
}

export type FirstKeys = Pick<Config, 'keyId' | 'secretKey' | 'brokerKey' | 'brokerSecret'>

/** Refuses a configured key that looks like a generated key of a durable world: configured keys belong to `main`. */
export function refuseCodesOfWorlds(
  { keyId, brokerKey }: FirstKeys,
  records: readonly DurableRecord[],
): void {
  for (const [setting, id] of Object.entries({ QUIPU_KEY_ID: keyId, QUIPU_BROKER_KEY: brokerKey })) {
    const code = codeOfKeyId(id ?? '')
    const world = records.find((record) => record.code === code)?.world
    if (world !== undefined)
      throw new ConfigError(
        `${setting}: ${id} has the code of the world ${world} (${code}, characters 3 and 4); choose another key id`,
      )
  }
}

/** Creates the seed data of a new `main` and the credentials of its owner. An existing `main` only gets new keys. */
export async function bootstrapMain(
  main: World,
  settings: FirstKeys & { readonly cash: Money },
  folder: string | undefined,
): Promise<{ readonly credentials: OwnerCredentials; readonly isFirstStart: boolean }> {
  const configured = configuredKeys(settings)
  const stored = folder ? readCredentials(folder) : {}
  if (isBootstrapped(main, stored.accountId)) {
    await addConfiguredKeys(main, configured)
    if (folder) noteKeys(folder, stored, acceptedKeys(main, configured))
    return { credentials: { ...stored, ...configured }, isFirstStart: false }
  }
  // Written before any key is issued: an interrupted start leaves no key without its secret.
  const planned = newCredentials({ ...stored, ...configured })
  if (folder) writeCredentials(folder, planned)
  const credentials = await firstStart(main, planned, settings.cash)
  if (folder) writeCredentials(folder, credentials)
  return { credentials, isFirstStart: true }
}

function configuredKeys({ keyId, secretKey, brokerKey, brokerSecret }: FirstKeys): OwnerCredentials {
  const account = keyId && secretKey ? { keyId, secretKey } : {}
  const broker = brokerKey && brokerSecret ? { brokerKey, brokerSecret } : {}
  return { ...account, ...broker }
}

async function addConfiguredKeys(main: World, configured: OwnerCredentials): Promise<void> {
  const [partnerId] = main.view.partners.keys()
  const paper = [...main.view.accounts.values()].find(({ flavour }) => flavour === 'paper')
  if (configured.brokerKey && configured.brokerSecret && partnerId)
    await ensureKey(main, configured.brokerKey, configured.brokerSecret, { partnerId })
  if (configured.keyId && configured.secretKey && paper)
    await ensureKey(main, configured.keyId, configured.secretKey, { accountId: paper.id })
}

/** Commands on this machine use the keys of the owner's file, and a replaced key may be deleted. */
function noteKeys(folder: string, stored: OwnerCredentials, keys: OwnerCredentials): void {
  const credentials = { ...stored, ...keys }
  if (!isDeepStrictEqual(credentials, stored)) writeCredentials(folder, credentials)
}

/** The configured keys that `main` accepts: an existing key keeps its secret and its owner. */
function acceptedKeys(
  main: World,
  { keyId, secretKey, brokerKey, brokerSecret }: OwnerCredentials,
): OwnerCredentials {
  const ownerOf = (id: string | undefined, secret: string | undefined): KeyOwner | undefined => {
    const key = lookUp(main.view.keys, id)
    const isValid = key && secret && key.digest === digestOf(secret) && key.expiresAt === undefined
    return isValid ? key.owner : undefined
  }
  const broker = ownerOf(brokerKey, brokerSecret)
  return {
    ...(ownerOf(keyId, secretKey)?.kind === 'account' && definedFields({ keyId, secretKey })),
    ...(broker?.kind === 'partner' && broker.operator && definedFields({ brokerKey, brokerSecret })),
  }
}
