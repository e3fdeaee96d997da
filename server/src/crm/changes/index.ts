import type { Module } from '../../kernel/index.ts'
import { changeFeedOperations } from './change-feed.ts'

export const changes: Module = { operations: changeFeedOperations }
