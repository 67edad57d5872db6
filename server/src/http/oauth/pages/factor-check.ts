import type { SignedInCaller } from '@quipu/broker/access/caller.ts'
import type { SignInAttempt, Subject } from '@quipu/broker/access/failed-attempts.ts'
import { userIn } from '@quipu/broker/access/main-people.ts'
import {
  appProof,
  OtherKey,
  type PageOrigin,
  type PasskeyOptions,
  passkeyProof,
  signatureOptions,
} from '@quipu/broker/access/second-factor.ts'
import { askMain } from '@quipu/broker/cluster/ask-main.ts'
import type { Tasks } from '@quipu/broker/cluster/ask-node.ts'
import { MAIN } from '@quipu/broker/registry/worlds.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { FactorKind, FactorProof, User, UserId } from '@quipu/core'
import { instantOfNanos } from '@quipu/core/values'
import { clientAddress } from '../../connection/client-address.ts'
import { requestUrl } from '../../connection/host.ts'
import type { Context } from '../../context.ts'
import { clusterOf, type Services } from '../../services.ts'

/** What a page asks for. */
export type FactorQuestion = {
  readonly hasApp: boolean
  /** The options for the browser, and the challenge in them, sealed. */
  readonly passkey?: PasskeyOptions
}

/** What the user entered: a code, or the response of a passkey to a sealed challenge. */
export type FactorResponse = {
  readonly passcode?: string | undefined
  readonly passkey?: string | undefined
  readonly challenge?: string | undefined
}

export type FactorCheck =
  | { readonly kind: 'right'; readonly by: FactorKind }
  | { readonly kind: 'wrong' }
  /** Too many failed attempts. */
  | { readonly kind: 'wait'; readonly seconds: number }

/** The user whose factors count, in the world that has them, and the session that they confirm. */
type Owner = { readonly world: World; readonly user: User; readonly session: string }

/** A challenge is answered within this time. */
const CHALLENGE_MS = 300_000

/** The address of our pages as the browser sees it. */
export function pageOriginOf({ request, services }: Context): PageOrigin {
  const url = new URL(requestUrl(request, services))
  const { publicUrl } = services.serverState
  if (publicUrl === undefined && request.headers.host !== undefined) url.host = request.headers.host
  return { origin: url.origin, host: url.hostname }
}

/** A person in `main` has the factors checked in `main`, wherever it is. Fails with NotApplied while it does not answer. */
export async function questionFor(context: Context, me: SignedInCaller): Promise<FactorQuestion> {
  const { services } = context
  const page = pageOriginOf(context)
  if (me.session.mainEpoch === undefined) return questionOf(services, ownerOf(me), page)
  const asked = { ...personOf(me), page }
  if (services.worlds.get(MAIN)) return questionAtMain(services, asked)
  return (await askMain(clusterOf(services), 'factorQuestion', asked)) as FactorQuestion
}

export async function checkFactor(
  context: Context,
  me: SignedInCaller,
  response: FactorResponse,
): Promise<FactorCheck> {
  const { services, request } = context
  const { passcode, passkey, challenge } = response
  const asked = {
    answer: { passcode, passkey, challenge },
    address: clientAddress(request, services.settings.trustProxy),
    page: pageOriginOf(context),
  }
  if (me.session.mainEpoch === undefined) return checkOf(services, ownerOf(me), asked)
  const atMain = { ...personOf(me), ...asked }
  if (services.worlds.get(MAIN)) return checkFactorAtMain(services, atMain)
  return (await askMain(clusterOf(services), 'factorCheck', atMain)) as FactorCheck
}

const ownerOf = ({ world, user, digest }: SignedInCaller): Owner => ({ world, user, session: digest })

const personOf = ({ user: { id, createdAt }, digest }: SignedInCaller) => ({
  userId: id,
  createdAt: String(createdAt),
  session: digest,
})

/** A person of `main`, which this node holds. */
function ownerAtMain({ worlds: { main } }: Services, asked: Tasks['factorQuestion']): Owner | undefined {
  const ref = { id: asked.userId as UserId, createdAt: instantOfNanos(BigInt(asked.createdAt)) }
  const user = userIn(main.view, ref)
  return user && { world: main, user, session: asked.session }
}

export async function questionAtMain(
  services: Services,
  asked: Tasks['factorQuestion'],
): Promise<FactorQuestion> {
  const owner = ownerAtMain(services, asked)
  return owner ? questionOf(services, owner, asked.page) : { hasApp: false }
}

export async function checkFactorAtMain(
  services: Services,
  asked: Tasks['factorCheck'],
): Promise<FactorCheck> {
  const owner = ownerAtMain(services, asked)
  return owner ? checkOf(services, owner, asked) : { kind: 'wrong' }
}

async function questionOf(
  services: Services,
  { user, session }: Owner,
  page: PageOrigin,
): Promise<FactorQuestion> {
  const hasApp = user.totp !== undefined
  if (!user.passkeys) return { hasApp }
  const { options, challenge } = await signatureOptions(user, page)
  return { hasApp, passkey: { options, challenge: sealChallenge(services, challenge, session) } }
}

type Asked = { readonly answer: FactorResponse; readonly address: string; readonly page: PageOrigin }

/**
 * Who gets here knows the password, so that only they can use up the attempts of this user. A browser that signed in before
 * has no separate count: with the password, anybody can have many such browsers.
 */
async function checkOf(
  services: Services,
  owner: Owner,
  { answer: response, address, page }: Asked,
): Promise<FactorCheck> {
  const { world, user } = owner
  const subject: Subject = { kind: 'factor', world, userId: user.id }
  const { failedAttempts } = services.security
  const before = failedAttempts.waitSeconds(address, subject)
  if (before > 0) return { kind: 'wait', seconds: before }
  const tried: SignInAttempt = failedAttempts.begin(address, subject)
  const proof = await proofOf(services, owner, response, page)
  if (proof && (await isFirstUse(world, user, proof))) {
    tried.right()
    return { kind: 'right', by: proof.by }
  }
  const seconds = tried.wrong()
  recordFailure(services, world, user)
  return seconds > 0 ? { kind: 'wait', seconds } : { kind: 'wrong' }
}

async function proofOf(
  services: Services,
  { user, session }: Owner,
  { passcode = '', passkey: response, challenge: sealed = '' }: FactorResponse,
  page: PageOrigin,
): Promise<FactorProof | undefined> {
  if (response) {
    const challenge = openChallenge(services, sealed, session)
    return challenge === undefined ? undefined : passkeyProof(user, { response, challenge, page })
  }
  try {
    return await appProof(services.security.sealingKey, user, passcode, Date.now())
  } catch (error) {
    if (!(error instanceof OtherKey)) throw error
    services.log.error('a second factor cannot be checked', { user: user.name, error: error.message })
    return undefined
  }
}

/** The engine decides: two requests with the same code come one after the other, and the use is durable. */
async function isFirstUse(world: World, { id }: User, proof: FactorProof): Promise<boolean> {
  const command = { kind: 'useFactor', userId: id, proof } as const
  return (await world.commands.submit(command, (_, decision) => decision.ok)).value
}

/** Not awaited: the audit log is not worth a wait. */
function recordFailure({ log }: Services, world: World, { id }: User): void {
  world.commands
    .submit({ kind: 'noteFailedSignIn', userId: id }, () => undefined)
    .catch((error) => log.warn('a failed sign-in was not recorded', { error: String(error) }))
}

const challengePurpose = (session: string): string => `challenge for ${session}`

/** The form carries the challenge, so that any node can check the response. It serves this session only. */
export const sealChallenge = ({ security }: Services, challenge: string, session: string): string =>
  security.sealingKey.seal(
    JSON.stringify({ challenge, untilMs: Date.now() + CHALLENGE_MS }),
    challengePurpose(session),
  )

export function openChallenge({ security }: Services, sealed: string, session: string): string | undefined {
  const text = security.sealingKey.open(sealed, challengePurpose(session))
  if (text === undefined) return undefined
  const { challenge, untilMs } = JSON.parse(text) as { challenge: string; untilMs: number }
  return untilMs > Date.now() ? challenge : undefined
}
