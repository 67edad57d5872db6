import { operation } from '../../operation.ts'
import { bool, bytes, optional, record, text, withDefault } from '../../shape/index.ts'
import { ofWorld, operatorOnly, worldName } from './world-param.ts'
import { CreatedWorld, newNameErrors } from './worlds.ts'

export const worldFiles = {
  saveWorld: operation('GET /sim/v1/worlds/{world}/save', ofWorld, {
    summary:
      'Save a world as a file: journal, settings, clock and the imported data it uses. The file has no secrets.',
    query: record({
      report: optional(text({ min: 1, max: 64 })).about(
        'Id of an order, a request or an account. Saves a bug report: the account of it with its explanation, no other account, and no identities.',
      ),
      whole_world: withDefault(bool(), false).about('Save all accounts and identities in a bug report too.'),
    }),
    raw: 'application/octet-stream',
    errors: [
      'invalidParameter',
      'worldNotFound',
      'reportSubjectNotFound',
      'reportNotSeparable',
      'dataUnreadable',
    ],
  }),
  loadWorld: operation('POST /sim/v1/worlds/load', operatorOnly, {
    needsSim: true,
    summary: 'Create a world from a saved file, with the same past and new keys.',
    query: record({
      world: optional(worldName()).about('Default: a generated name.'),
      durable: withDefault(bool(), false).about('Keep the world across restarts of the server.'),
    }),
    body: bytes().about('The file.'),
    bodyKind: 'bytes',
    output: CreatedWorld,
    status: 201,
    errors: [...newNameErrors, 'worldFileInvalid', 'importRunning'],
  }),
}
