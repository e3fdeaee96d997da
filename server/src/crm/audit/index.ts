import type { Module } from '../../kernel/index.ts'
import { histories } from './history.ts'
import { listAudit } from './list-audit.ts'

export const audit: Module = { operations: kinds => [listAudit(kinds)], cabinetOperations: histories }
