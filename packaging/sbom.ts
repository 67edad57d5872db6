import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Library } from './libraries.ts'
import { names } from './names.ts'

/** A bill of materials in the format CycloneDX 1.5: the libraries inside the bundle, with the hashes of the lock file. */
export function sbomOf(version: string, libraries: readonly Library[], checkout: string) {
  const { packages } = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { readonly version?: string; readonly integrity?: string }>
  }
  const hashOf = ({ name, version: wanted }: Library): string => {
    const entry = Object.entries(packages).find(
      ([path, locked]) => path.endsWith(`node_modules/${name}`) && locked.version === wanted,
    )
    const integrity = entry?.[1].integrity
    if (!integrity?.startsWith('sha512-')) throw new Error(`the lock file has no hash of ${name} ${wanted}`)
    return Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex')
  }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        name: names.broker,
        version,
        purl: purlOf(names.broker, version),
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
    },
    components: libraries.map((library) => ({
      type: 'library',
      name: library.name,
      version: library.version,
      purl: purlOf(library.name, library.version),
      licenses: [{ license: { id: library.license } }],
      hashes: [{ alg: 'SHA-512', content: hashOf(library) }],
    })),
  }
}

const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`
