import { operation } from '../../../operation.ts'
import {
  array,
  bool,
  bytes,
  integer,
  optional,
  record,
  text,
  timestamp,
  uuid,
  withDefault,
} from '../../../shape/index.ts'
import { nextCursor } from '../../reading/reading-parameters.ts'
import { operatorOrOwner } from '../world-param.ts'
import { RunShape } from './run-record.ts'

export const StoredRunShape = record({
  ...RunShape.fields,
  number: integer().about('Number of the run on this server, from 1. It is not reused.'),
  owner: text().about('Name of the user, or id of the account or partner, that stored the run.'),
  bytes: integer().about('Size of the file.'),
  pinned: bool().about('Never deleted to make space.'),
  stored_at: timestamp().about('Time of the last change of the file.'),
}).named('ServerRun')

const ofRun = record({ run: uuid() })
const path = '/sim/v1/runs'

export const runs = {
  listRuns: operation(`GET ${path}`, operatorOrOwner, {
    summary: 'List runs, newest first. Operators see all runs, accounts their own.',
    query: record({
      cursor: optional(text({ min: 1, max: 40 })).about('next_cursor of the previous page.'),
      limit: withDefault(integer({ min: 1, max: 1000 }), 100).about('Rows per page.'),
    }),
    output: record({ runs: array(StoredRunShape), next_cursor: nextCursor }).named('RunsPage'),
    errors: ['invalidParameter'],
  }),
  storeRun: operation(`POST ${path}`, operatorOrOwner, {
    summary:
      'Store a run file. The oldest runs that are not pinned are deleted for it. The end of a running run replaces its file.',
    body: bytes().about('The run file.'),
    bodyKind: 'bytes',
    bodySize: 'run',
    output: StoredRunShape,
    status: 201,
    errors: ['invalidParameter', 'runFileInvalid', 'runExists', 'runLimitReached'],
  }),
  getRun: operation(`GET ${path}/{run}`, operatorOrOwner, {
    summary: 'Get the record of a run.',
    params: ofRun,
    output: StoredRunShape,
    errors: ['invalidParameter', 'runNotFound'],
  }),
  getRunFile: operation(`GET ${path}/{run}/file`, operatorOrOwner, {
    summary: 'Download the file of a run.',
    params: ofRun,
    raw: 'application/octet-stream',
    errors: ['invalidParameter', 'runNotFound', 'runFileMissing'],
  }),
  pinRun: operation(`PATCH ${path}/{run}`, operatorOrOwner, {
    summary: 'Pin a run, so that it is never deleted to make space, or unpin it.',
    params: ofRun,
    body: record({ pinned: bool() }).named('RunChange'),
    output: StoredRunShape,
    errors: ['invalidParameter', 'runNotFound'],
  }),
  deleteRun: operation(`DELETE ${path}/{run}`, operatorOrOwner, {
    summary: 'Delete a run and its file.',
    params: ofRun,
    errors: ['invalidParameter', 'runNotFound'],
  }),
}
