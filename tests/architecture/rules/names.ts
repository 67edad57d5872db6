import { inEachFile, type Rule } from '../rule.ts'
import { isProduct, isSource } from '../sources.ts'

const kebabCase: Rule = {
  name: 'folder and file names are kebab-case',
  covers: isSource,
  violations: (files) =>
    files
      .map(({ path }) => path)
      .filter((path) => !/^[a-z0-9/-]+(\.(spec|table|child|test|config))?\.tsx?$/.test(path)),
  planted: [
    {
      files: { 'core/src/plantedFile.ts': '', 'core/src/Planted/file.ts': '', 'core/src/planted.d2.ts': '' },
      refused: ['core/src/plantedFile.ts', 'core/src/Planted/file.ts', 'core/src/planted.d2.ts'],
    },
  ],
}

const noCatchAll: Rule = {
  name: 'no folder or file is named utils, helpers, common or misc',
  covers: isSource,
  violations: (files) =>
    files
      .map(({ path }) => path)
      .filter((path) => /(^|\/)(utils?|helpers?|common|misc)(\/|\.ts$)/.test(path)),
  planted: [
    {
      files: { 'core/src/util.ts': '', 'core/src/helpers/planted.ts': '' },
      refused: ['core/src/util.ts', 'core/src/helpers/planted.ts'],
    },
  ],
}

const folderReadmes: Rule = {
  name: 'every folder of broker, server and cli and every family of http has a README',
  covers: isProduct,
  violations(files, { paths }) {
    const folders = files.flatMap(
      ({ path }) => /^(?:broker|server|cli)\/src\/(?:http\/)?[a-z-]+(?=\/)/.exec(path)?.[0] ?? [],
    )
    return [...new Set(folders)].filter((folder) => !paths.has(`${folder}/README.md`))
  },
  planted: [
    {
      files: { 'broker/src/planted/planted.ts': '', 'server/src/http/planted/planted.ts': '' },
      refused: ['broker/src/planted', 'server/src/http/planted'],
    },
  ],
}

/** The operations that a file declares or handles: keys of an object that the module exports. */
const declarationsIn = (text: string): readonly string[] =>
  Array.from(text.matchAll(/^ {2}(\w+): operation\(/gm), ([, name]) => name!)

const handledOperations: Rule = {
  name: 'an operation is declared and handled in files of the same family and name',
  covers: (path) => isProduct(path) && path.startsWith('contract/src/operations/'),
  violations: inEachFile(({ path, text }, repository) => {
    const handler = path.replace('contract/src/operations', 'server/src/http')
    const handled = repository.files.find((file) => file.path === handler)?.text ?? ''
    return declarationsIn(text).filter((name) => !new RegExp(`^ +(async )?${name}[:(,]`, 'm').test(handled))
  }),
  planted: [
    {
      files: {
        'contract/src/operations/trading/planted.ts':
          'export const planted = {\n  getPlanted: operation(\n  listPlanted: operation(\n}',
        'server/src/http/trading/planted.ts': 'export const handlers = {\n  async getPlanted() {},\n}',
      },
      refused: ['contract/src/operations/trading/planted.ts: listPlanted'],
    },
  ],
}

/**
 * The packages whose names a reader meets together; the SDK and the dashboard are read alone. `core/src/schema.ts` has the
 * words of stored records, the contract the same for the wire (docs/decisions/code.md). Every entry of `run/program` is
 * loaded by its `start`.
 */
const SHARED = /^(core|contract|broker|server|cli)\/(?!src\/schema\.ts|src\/run\/program\/)/

const uniqueExports: Rule = {
  name: 'an exported name has one meaning in core, contract, broker, server and cli',
  covers: (path) => isProduct(path) && SHARED.test(path),
  violations(files) {
    const exported = files.flatMap(({ path, code }) =>
      [
        ...new Set(
          Array.from(
            code.matchAll(
              /^export (?:async )?(?:const|let|function\*?|(?:abstract )?class|type|interface) (\w+)/gm,
            ),
            ([, name]) => name,
          ),
        ),
      ].map((name) => ({ name, path })),
    )
    return [...Map.groupBy(exported, ({ name }) => name)]
      .filter(([, places]) => places.length > 1)
      .map(([name, places]) => `${name}: ${places.map(({ path }) => path).join(', ')}`)
  },
  planted: [
    {
      files: {
        'core/src/planted.ts': 'export const planted = 1\nexport type planted = 2\nconst local = 1',
        'server/src/planted.ts': 'export async function planted() {}\nconst local = 1',
        'sdk/src/planted.ts': 'export const planted = 1',
      },
      refused: ['planted: core/src/planted.ts, server/src/planted.ts'],
    },
  ],
}

export const rules: readonly Rule[] = [kebabCase, noCatchAll, folderReadmes, handledOperations, uniqueExports]
