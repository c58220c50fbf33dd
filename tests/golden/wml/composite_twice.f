define flowop name=c { flowop delay name=d,value=1 }
define flowop name=c { flowop delay name=d,value=2 }
