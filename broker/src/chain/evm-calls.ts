import { keccak_256 } from '@noble/hashes/sha3.js'

/** Arguments and results of contract calls: words of 32 bytes. */
export type Word = { readonly address: string } | { readonly number: bigint } | { readonly bytes32: string }

export const keccak = (bytes: Uint8Array): string => `0x${Buffer.from(keccak_256(bytes)).toString('hex')}`
const keccakText = (text: string): string => keccak(Buffer.from(text))

/** Encodes a call of a function, such as `mint(address,uint256)`. */
export const callOf = (signature: string, words: readonly Word[] = []): string =>
  keccakText(signature).slice(0, 10) + words.map(wordOf).join('')

/** The first topic of an event. */
export const topicOf = (signature: string): string => keccakText(signature)

export function wordOf(word: Word): string {
  if ('address' in word) return word.address.slice(2).toLowerCase().padStart(64, '0')
  if ('number' in word) return word.number.toString(16).padStart(64, '0')
  return word.bytes32.slice(2)
}

/** The address in a topic or a result. */
export const addressIn = (word: string): string => `0x${word.slice(-40).toLowerCase()}`

/** Encodes strings as constructor arguments: the offsets, then each string with its length. */
export function textsOf(texts: readonly string[]): string {
  let heads = ''
  let tails = ''
  for (const text of texts) {
    const bytes = Buffer.from(text)
    heads += wordOf({ number: BigInt(texts.length * 32 + tails.length / 2) })
    tails += wordOf({ number: BigInt(bytes.length) })
    tails += bytes.toString('hex').padEnd(Math.ceil(bytes.length / 32) * 64, '0')
  }
  return heads + tails
}

export const TRANSFER = topicOf('Transfer(address,address,uint256)')
export const MINTED = topicOf('Minted(bytes32,address,uint256)')
