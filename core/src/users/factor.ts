import type { PasskeyId } from '../ids.ts'
import type { Instant } from '../time.ts'

/** An authenticator app that shows a code for each step of 30 seconds (RFC 6238). */
export type Totp = {
  /** The secret, encrypted by the server: a code needs the secret itself, so a digest would not do. */
  readonly secret: string
  /** The step of the last code that was accepted. A code is valid once. */
  readonly lastStep: number
  readonly createdAt: Instant
}

/** A key pair of a device or password manager, which signs a challenge (WebAuthn). */
export type Passkey = {
  readonly id: PasskeyId
  /** The name that its owner chose. */
  readonly name: string
  /** The id of the credential, base64url. */
  readonly credential: string
  /** The public key, COSE in base64url. */
  readonly publicKey: string
  /** The signatures that the device has counted; 0 if it does not count. */
  readonly counter: number
  readonly createdAt: Instant
}

/** The second factors of a user. */
export type Factors = { readonly totp?: Totp; readonly passkeys?: readonly Passkey[] }

export type FactorKind = 'totp' | 'passkey'

/** Maximum passkeys per user. */
export const PASSKEYS_MAX = 20

export const hasFactor = ({ totp, passkeys = [] }: Factors): boolean =>
  totp !== undefined || passkeys.length > 0
