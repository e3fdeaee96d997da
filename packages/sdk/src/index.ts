export type { Answer, Meta, WithResponse } from './core/answer.ts'
export type { CallArguments, Operation, OperationTable } from './core/operation.ts'
export type { ReadOptions, WriteOptions } from './core/options.ts'
export type { List, Page } from './core/pages.ts'
