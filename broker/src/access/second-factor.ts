import { type FactorProof, hasServerRole, type Passkey, type User } from '@quipu/core'
import type { SignedInCaller } from './caller.ts'
import type { SealingKey } from './sealing-key.ts'

/** Who must have a second factor. `operators`: operators and auditors. */
export type FactorPolicy = 'optional' | 'operators' | 'everybody'

export function isFactorRequired(policy: FactorPolicy, user: Pick<User, 'operator' | 'auditor'>): boolean {
  switch (policy) {
    case 'optional':
      return false
    case 'operators':
      return hasServerRole(user)
    case 'everybody':
      return true
  }
}

/** The address of the pages: passkeys are bound to its host name. */
export type PageOrigin = { readonly origin: string; readonly host: string }

/** A new secret of an authenticator app, as its owner enters it. */
export type NewApp = { readonly secret: string; readonly uri: string }

/** Codes change every 30 seconds; the code before and the one after are accepted too, because clocks differ. */
const WINDOW = 1
const ISSUER = 'Quipu'
const CODE = /^\d{6}$/

export const appPurpose = (userId: string): string => `authenticator app of ${userId}`

/** The libraries are loaded at the first use, because most servers never need them. */
export async function newAuthenticator(label: string): Promise<NewApp> {
  const { Secret, TOTP } = await import('otpauth')
  const totp = new TOTP({ issuer: ISSUER, label, secret: new Secret({ size: 20 }) })
  return { secret: totp.secret.base32, uri: totp.toString() }
}

export async function appUri(secret: string, label: string): Promise<string> {
  const { TOTP } = await import('otpauth')
  return new TOTP({ issuer: ISSUER, label, secret }).toString()
}

/** The step of a code that is right at this time; undefined for a wrong code. */
export async function codeStep(secret: string, code: string, nowMs: number): Promise<number | undefined> {
  const token = code.replaceAll(' ', '')
  if (!CODE.test(token)) return undefined
  const { TOTP } = await import('otpauth')
  const delta = new TOTP({ secret }).validate({ token, timestamp: nowMs, window: WINDOW })
  return delta === null ? undefined : TOTP.counter({ timestamp: nowMs }) + delta
}

/** The step of the code, if the user has an app and the code is right. Throws if the secret is of another key. */
export async function appProof(
  key: SealingKey,
  { id, totp }: User,
  code: string,
  nowMs: number,
): Promise<FactorProof | undefined> {
  if (!totp) return undefined
  if (!key.isOfThisKey(totp.secret)) throw new OtherKey()
  const secret = key.open(totp.secret, appPurpose(id))
  const step = secret === undefined ? undefined : await codeStep(secret, code, nowMs)
  return step === undefined ? undefined : { by: 'totp', step }
}

/** The secret of an app was sealed with a key that this server does not have. */
export class OtherKey extends Error {
  constructor() {
    super('the secret of an authenticator app was encrypted with another key; see docs/guides/sign-in.md')
    this.name = 'OtherKey'
  }
}

/** What a page sends to the browser, and the challenge in it. */
export type PasskeyOptions = { readonly options: object; readonly challenge: string }

/** Any authenticator serves: the password is the first factor, so the device need not ask for a PIN. */
const userVerification = 'preferred'

export async function registrationOptions(
  { id, name, passkeys = [] }: User,
  { host }: PageOrigin,
): Promise<PasskeyOptions> {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  const options = await generateRegistrationOptions({
    rpName: ISSUER,
    rpID: host,
    userName: name,
    userDisplayName: name,
    userID: Buffer.from(id),
    attestationType: 'none',
    excludeCredentials: passkeys.map(({ credential }) => ({ id: credential })),
    authenticatorSelection: { residentKey: 'preferred', userVerification },
  })
  return { options, challenge: options.challenge }
}

export async function signatureOptions(
  { passkeys = [] }: User,
  { host }: PageOrigin,
): Promise<PasskeyOptions> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  const options = await generateAuthenticationOptions({
    rpID: host,
    allowCredentials: passkeys.map(({ credential }) => ({ id: credential })),
    userVerification,
  })
  return { options, challenge: options.challenge }
}

type Answered = {
  /** The JSON that the browser made. */
  readonly response: string
  readonly challenge: string
  readonly page: PageOrigin
}

export type NewPasskey = Pick<Passkey, 'credential' | 'publicKey' | 'counter'>

/** The new passkey, if the browser signed this challenge on our pages. */
export async function registeredPasskey({
  response,
  challenge,
  page,
}: Answered): Promise<NewPasskey | undefined> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  return untilWrong(async () => {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: JSON.parse(response),
      expectedChallenge: challenge,
      expectedOrigin: page.origin,
      expectedRPID: page.host,
      requireUserVerification: false,
    })
    if (!verified) return undefined
    const { id, publicKey, counter } = registrationInfo.credential
    return { credential: id, publicKey: Buffer.from(publicKey).toString('base64url'), counter }
  })
}

/** The proof from one of the user's passkeys, if it signed this challenge on our pages. */
export async function passkeyProof(
  { passkeys = [] }: User,
  { response, challenge, page }: Answered,
): Promise<FactorProof | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  return untilWrong(async () => {
    const signed = JSON.parse(response)
    const passkey = passkeys.find(({ credential }) => credential === signed?.id)
    if (!passkey) return undefined
    const { credential: id, publicKey, counter } = passkey
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: signed,
      expectedChallenge: challenge,
      expectedOrigin: page.origin,
      expectedRPID: page.host,
      credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter },
      requireUserVerification: false,
    })
    return verified ? { by: 'passkey', credential: id, counter: authenticationInfo.newCounter } : undefined
  })
}

/** The library throws for every response that is not right, and `JSON.parse` for one that is no JSON. */
async function untilWrong<Value>(verify: () => Promise<Value | undefined>): Promise<Value | undefined> {
  try {
    return await verify()
  } catch {
    return undefined
  }
}

/** Whether a session has its rights: a second factor has confirmed it, or none is needed. */
export const isConfirmed = (
  policy: FactorPolicy,
  { user, hasFactor }: Pick<SignedInCaller, 'user' | 'hasFactor'>,
  { factor }: { readonly factor?: string },
): boolean => factor !== undefined || !(hasFactor || isFactorRequired(policy, user))
