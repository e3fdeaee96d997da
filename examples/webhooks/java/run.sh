exec java -classpath 'target/*:target/libraries/*' example.Receiver
