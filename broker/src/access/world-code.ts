import { randomBytes, randomInt } from 'node:crypto'
import type { World } from '../world/world.ts'

/** The code of `main`, and of every world that is not durable. A durable world has another code, which no other has. */
export const MAIN_CODE = '00'

const CHARACTERS = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ']

/** The codes that durable worlds can have. */
export const worldCodes: readonly string[] = CHARACTERS.flatMap((first) =>
  CHARACTERS.map((second) => first + second),
).filter((code) => code !== MAIN_CODE)

const GENERATED_KEY_ID = /^(?:PK|AK|CK)([0-9A-Z]{2})[0-9A-Z]{16}$/

/** The world code in a key. An id in any other form than the generated one was chosen, and belongs to `main`. */
export const codeOfKeyId = (id: string): string => GENERATED_KEY_ID.exec(id)?.[1] ?? MAIN_CODE

/**
 * The code of the world of a client id, access, refresh or machine token, authorization code, session cookie, session
 * token or sign-in link. Client ids ignore case, so a code in lower case counts too.
 */
export const codeOfSecret = (text: string): string =>
  /^[0-9A-Z]{2}/i.test(text) ? text.slice(0, 2).toUpperCase() : MAIN_CODE

/** The world code in an app's id, or in a key that is sent in its place. */
export function codeOfClient(id: string): string {
  const ofKey = codeOfKeyId(id)
  return ofKey === MAIN_CODE ? codeOfSecret(id) : ofKey
}

/** The codes in the key ids and client ids of a world: in `main` any code, because users choose ids there. */
export const codesOfIds = (world: World | undefined): ReadonlySet<string> =>
  new Set([
    ...[...(world?.view.keys.keys() ?? [])].map(codeOfClient),
    ...[...(world?.view.clientIds.keys() ?? [])].map(codeOfSecret),
  ])

/** The random part of each form, as long as the form requires after the code. */
const randomParts = {
  /** 82 random bits, because a key id is not a secret. */
  keyId: () => Array.from({ length: 16 }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join(''),
  /** 32 characters with the code; 120 random bits. */
  hex: () => randomBytes(15).toString('hex'),
  /** The characters and hyphens of a UUID, but no version: its bits are random too, which makes 120. */
  uuid: () =>
    randomBytes(15)
      .toString('hex')
      .replace(/^(.{6})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  /** 43 characters with the code; 244 random bits. */
  base64url: () => randomBytes(32).toString('base64url').slice(MAIN_CODE.length),
} as const

/** A random credential that begins with the code of its world. */
export const newCredential = (code: string, form: keyof typeof randomParts): string =>
  code + randomParts[form]()
