import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const packages = join(import.meta.dirname, '..', '..', 'node_modules')

/** The libraries and fonts inside the built dashboard. */
const shipped = [
  'preact',
  '@preact/signals',
  '@preact/signals-core',
  'lightweight-charts',
  'fancy-canvas',
  '@tanstack/virtual-core',
  'minisearch',
  '@simplewebauthn/browser',
  '@fontsource-variable/inter',
  '@fontsource-variable/jetbrains-mono',
] as const

/** Writes the licences of what the dashboard contains. */
export function writeNotices(file: string): void {
  const texts = shipped.map((name) => {
    const { version, license } = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'))
    const found = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'NOTICE'].filter((part) =>
      existsSync(join(packages, name, part)),
    )
    const parts = found.map((part) => readFileSync(join(packages, name, part), 'utf8').trim())
    return `${name} ${version} (${license})\n\n${parts.join('\n\n')}`
  })
  writeFileSync(file, `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
}
