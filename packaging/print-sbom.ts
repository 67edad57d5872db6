import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleServer } from '../cli/build.ts'
import { librariesOf } from './libraries.ts'
import { sbomOf } from './sbom.ts'
import { versionOf } from './version.ts'

// Prints the bill of materials of the package `quipu-broker` of this checkout.
const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'quipu-sbom-'))
const libraries = librariesOf(await bundleServer(folder, { isPackage: true }))
rmSync(folder, { recursive: true, force: true })
console.log(JSON.stringify(sbomOf(versionOf(root), libraries, root), undefined, 2))
