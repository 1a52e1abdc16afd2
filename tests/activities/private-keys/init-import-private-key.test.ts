import { privateKeys, testInitImport, wallets } from '../init-imports.ts';

testInitImport(privateKeys, wallets);
