import { hash } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Result } from '@quipu/core'
import { fail, ok } from '@quipu/core/values'
import { base58 } from '@scure/base'
import type { AddressProblem } from './chain.ts'
import { formOf, type NetworkForm } from './networks.ts'

type Checked = Result<undefined, AddressProblem>

const LENGTH_MAX = 128

/** Accepts any printable address, real or invented, except addresses that nobody owns. */
export function checkLeniently(network: string, address: string, taken?: string): Checked {
  const checked = checkText(network, address)
  if (!checked.ok) return checked
  const account = readers[formOf(network)!](address)
  const isZero = account.ok && isZeroAddress(account.value)
  return isZero || isSame(network, address, taken) ? fail('withoutOwner') : checked
}

/** Checks that apply to addresses of all networks. */
function checkText(network: string, address: string): Checked {
  if (formOf(network) === undefined) return fail('networkUnknown')
  if (address === '') return fail('empty')
  if (address.length > LENGTH_MAX) return fail('tooLong')
  return /^[\x21-\x7e]+$/.test(address) ? ok(undefined) : fail('notPrintable')
}

/** Checks the format and checksum of an address on its network, and that the account can have an owner. */
export function checkAddress(network: string, address: string, taken?: string): Checked {
  const form = formOf(network)
  const checked = checkText(network, address)
  if (!checked.ok || form === undefined) return checked
  const account = readers[form](address)
  if (!account.ok) return account
  return isZeroAddress(account.value) || isSame(network, address, taken)
    ? fail('withoutOwner')
    : ok(undefined)
}

const isZeroAddress = (account: Uint8Array): boolean => account.every((byte) => byte === 0)

/** Whether two spellings name the same account. */
function isSame(network: string, address: string, other: string | undefined): boolean {
  if (other === undefined) return false
  const [one, two] = [address, other].map((text) => readers[formOf(network)!](text))
  return one!.ok && two!.ok ? Buffer.compare(one!.value, two!.value) === 0 : address === other
}

/** The account bytes of an address. */
type Reader = (address: string) => Result<Uint8Array, AddressProblem>

const readers: Readonly<Record<NetworkForm, Reader>> = {
  evm: (address) => {
    const digits = address.slice(2)
    if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return fail('wrongForm')
    return isChecksummed(digits) ? ok(Buffer.from(digits, 'hex')) : fail('wrongChecksum')
  },
  solana: (address) => {
    const bytes = fromBase58(address)
    return bytes?.length === 32 ? ok(bytes) : fail('wrongForm')
  },
  tron: tronAccount,
  ton: tonAccount,
}

/** Undefined for an invalid letter. The time grows with the square of the length, so `checkText` limits it. */
function fromBase58(text: string): Uint8Array | undefined {
  try {
    return base58.decode(text)
  } catch {
    return undefined
  }
}

const TRON_PREFIX = 0x41

/** A prefix, twenty bytes, and the first four bytes of their double hash. */
function tronAccount(address: string): Result<Uint8Array, AddressProblem> {
  const bytes = fromBase58(address)
  if (bytes?.length !== 25 || bytes[0] !== TRON_PREFIX) return fail('wrongForm')
  const checksum = sha256(sha256(bytes.subarray(0, 21))).subarray(0, 4)
  return checksum.equals(bytes.subarray(21)) ? ok(bytes.subarray(1, 21)) : fail('wrongChecksum')
}

const sha256 = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer')

const TON_TAGS = [0x11, 0x51, 0x91, 0xd1]

/** `workchain:hash`, or 36 bytes in base64: tag, workchain, hash and checksum. */
function tonAccount(address: string): Result<Uint8Array, AddressProblem> {
  const raw = /^-?\d{1,10}:([0-9a-fA-F]{64})$/.exec(address)
  if (raw) return ok(Buffer.from(raw[1]!, 'hex'))
  if (!/^(?:[\w-]{48}|[A-Za-z0-9+/]{48})$/.test(address)) return fail('wrongForm')
  const bytes = Buffer.from(address, 'base64url')
  if (!TON_TAGS.includes(bytes[0]!)) return fail('wrongForm')
  return crc16(bytes.subarray(0, 34)) === bytes.readUInt16BE(34)
    ? ok(bytes.subarray(2, 34))
    : fail('wrongChecksum')
}

/** CRC-16/XMODEM. */
function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++)
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff
  }
  return crc
}

/** Checks the EIP-55 checksum in the capitals of an address. Addresses in one case have no checksum. */
export function isChecksummed(digits: string): boolean {
  const lowerCase = digits.toLowerCase()
  if (digits === lowerCase || digits === digits.toUpperCase()) return true
  const hash = Buffer.from(keccak_256(Buffer.from(lowerCase))).toString('hex')
  return [...lowerCase].every(
    (digit, index) =>
      digits[index] === (Number.parseInt(hash[index]!, 16) >= 8 ? digit.toUpperCase() : digit),
  )
}
