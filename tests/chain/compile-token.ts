import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

export type Artefact = {
  readonly compiler: string
  readonly abi: readonly unknown[]
  readonly bytecode: string
}

/** Compiles the Quipu token contract. */
export const compileToken = (): Artefact =>
  compile(
    'QuipuToken',
    readFileSync(new URL('../../broker/src/chain/contract/quipu-token.sol', import.meta.url), 'utf8'),
  )

/** Compiles a contract to reproducible bytecode. The compiler is a development dependency. */
export function compile(name: string, content: string): Artefact {
  const solc = createRequire(import.meta.url)('solc') as {
    version(): string
    compile(input: string): string
  }
  const input = {
    language: 'Solidity',
    sources: { source: { content } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      // Older networks do not support later instructions.
      evmVersion: 'paris',
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  const made = output.contracts?.source?.[name]
  if (!made) throw new Error(JSON.stringify(output.errors))
  return { compiler: solc.version(), abi: made.abi, bytecode: `0x${made.evm.bytecode.object}` }
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(compileToken(), null, 2)}\n`)
