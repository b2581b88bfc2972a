import { testModule } from "./checks.mjs";

await testModule(true);
