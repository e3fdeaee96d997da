java -classpath 'target/*:target/libraries/*' example.Synchronize
