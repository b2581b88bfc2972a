import { testModule } from "./checks.mjs";

await testModule(false);
