import { createRequire } from 'node:module'

type Keccak = (bytes: Uint8Array) => Uint8Array
let keccak: Keccak | undefined

/** Loaded when the first address in mixed case comes: Node has no Keccak of its own. */
function keccak256(bytes: Uint8Array): Uint8Array {
  keccak ??= createRequire(import.meta.url)('@noble/hashes/sha3.js').keccak_256 as Keccak
  return keccak(bytes)
}

/** Whether the capitals of an address say its checksum (EIP-55). In one case alone they say nothing. */
export function isChecksummed(digits: string): boolean {
  const small = digits.toLowerCase()
  if (digits === small || digits === digits.toUpperCase()) return true
  const hash = Buffer.from(keccak256(Buffer.from(small))).toString('hex')
  return [...small].every(
    (digit, place) =>
      digits[place] === (Number.parseInt(hash[place]!, 16) >= 8 ? digit.toUpperCase() : digit),
  )
}
